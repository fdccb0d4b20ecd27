/** What the sample dialogue lets in. */
export const telnetdLogin = { user: "bob", password: "secret" } as const;

/**
 * The program that runs in the place of login(1): it asks for a name and, without echo, for a password, tells the terminal's
 * type and size, and then repeats every line up to `exit`. `size` tells the size again; `ff` answers with the byte 255 twice.
 * What arrives as name and password goes to `seen`, separated by a tab. No account of the system has a part in it.
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
