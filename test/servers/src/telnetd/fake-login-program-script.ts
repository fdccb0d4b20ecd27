/** The user and the password that the login script accepts. */
export const telnetdCredentials = { user: "bob", password: "secret" } as const;

/**
 * A shell script that replaces login(1). The login script requests a user name and, without echo, a password. After a
 * correct login, it prints the terminal's type and size, and repeats every line up to `exit`. After the input line
 * `size`, the login script prints the terminal's size again, and after `ff` the byte 255 twice. The login script
 * appends the user name and the password to the file `seen`, and does not use system accounts.
 */
export const fakeLoginProgramScript: string = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
printf 'test login: '
IFS= read -r user
stty -echo
printf 'Password: '
IFS= read -r password
stty echo
printf '\\n'
printf '%s\\t%s\\n' "$user" "$password" >>seen
if [ "$user:$password" != "${telnetdCredentials.user}:${telnetdCredentials.password}" ]; then
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
