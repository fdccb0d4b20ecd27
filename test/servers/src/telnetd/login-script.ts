/** The user and password that the sample dialogue accepts. */
export const telnetdLogin = { user: "bob", password: "secret" } as const;

/**
 * The program that replaces login(1). The program requests a name and, without echo, a password. The program then
 * prints the terminal's type and size, and repeats every line up to `exit`. `size` prints the size again; `ff` prints the byte 255 twice.
 * The program writes name and password to `seen`, separated by a tab. No account of the system is used.
 */
export const loginProgram: string = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
printf 'test login: '
IFS= read -r user
stty -echo
printf 'Password: '
IFS= read -r password
stty echo
printf '\\n'
printf '%s\\t%s\\n' "$user" "$password" >>seen
if [ "$user:$password" != "${telnetdLogin.user}:${telnetdLogin.password}" ]; then
  printf 'Login incorrect\\n'
  exit 1
fi
printf 'Welcome %s, TERM=%s, size %s\\n$ ' "$user" "$TERM" "$(stty size)"
while IFS= read -r line; do
  case $line in
    exit) exit 0 ;;
    size) printf 'size %s\\n' "$(stty size)" ;;
    ff) printf 'bytes: \\377\\377.\\n' ;;
    *) printf 'you said: %s\\n' "$line" ;;
  esac
  printf '$ '
done
`;
