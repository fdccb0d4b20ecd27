import { STATUS_CODES } from "node:http";
import { expect, it } from "vitest";
import { maskPossibleSecretsInServerText } from "../../src/errors/mask-possible-secrets.ts";

/**
 * Replies of RFC 959 §4.2.1, RFC 2228, RFC 3977 and RFC 4643, replies of FTP and NNTP servers, and status lines of HTTP
 * servers.
 */
const SERVER_REPLY_TEXTS = `
110 Restart marker reply.
125 Data connection already open; transfer starting.
150 File status okay; about to open data connection.
200 Command okay.
202 Command not implemented, superfluous at this site.
211 System status, or system help reply.
212 Directory status.
213 File status.
214 Help message.
220 Service ready for new user.
221 Service closing control connection.
225 Data connection open; no transfer in progress.
226 Closing data connection.
230 User logged in, proceed.
250 Requested file action okay, completed.
331 User name okay, need password.
332 Need account for login.
350 Requested file action pending further information.
421 Service not available, closing control connection.
425 Can't open data connection.
426 Connection closed; transfer aborted.
450 Requested file action not taken. File unavailable (e.g., file busy).
451 Requested action aborted: local error in processing.
452 Requested action not taken. Insufficient storage space in system.
500 Syntax error, command unrecognized.
501 Syntax error in parameters or arguments.
502 Command not implemented.
503 Bad sequence of commands.
504 Command not implemented for that parameter.
530 Not logged in.
532 Need account for storing files.
550 Requested action not taken. File unavailable (e.g., file not found, no access).
551 Requested action aborted: page type unknown.
552 Requested file action aborted. Exceeded storage allocation (for current directory or dataset).
553 Requested action not taken. File name not allowed.
534 Request denied for policy reasons.
536 Requested PROT level not supported by mechanism.
431 Need some unavailable resource to process security.
530 Login incorrect.
530 Login failed.
530 Permission denied.
530 This FTP server is anonymous only.
530 Please login with USER and PASS.
500 OOPS: cannot change directory
421 There are too many connected users, please try later.
421 Timeout.
421 Service not available.
530 Sorry, the maximum number of clients for this user are already connected.
530 Sorry, maximum number of clients from your host already connected.
530 Login incorrect. Too many login attempts, good bye.
530 Anonymous sessions must use encryption.
530 Non-anonymous sessions must use encryption.
522 SSL connection required
550 Failed to open file.
550 Failed to change directory.
550 Create directory operation failed.
550 Delete operation failed.
553 Could not create file.
425 Security: Bad IP connecting.
425 Failed to establish connection.
426 Failure writing network stream.
426 Failure reading network stream.
451 Failure writing to local file.
550 SSL connection failed: session reuse required
530 Login authentication failed
530 Sorry, but that account is disabled
530 Sorry, I can't trust you
530 You aren't logged in
530 Authentication failed, sorry
421 Server is too busy, please try again later
530 Anonymous users are not allowed on this server
530 This is a private system - No anonymous login
421 Home directory not available - aborting
552 Quota exceeded
552 Disk full - please upload later
550 Can't change directory: No such file or directory
550 Can't open file: Permission denied
553 Prohibited file name
550 Anonymous users may not upload files
530 TLS required
421 Sorry, cleartext sessions are not accepted on this server.
331 Anonymous login ok, send your complete email address as your password
550 Command not allowed
550 Access is denied.
530 Access denied
530 Unable to set anonymous privileges.
550 Not a regular file
550 Not a plain file.
550 Not a directory
550 File exists
550 Is a directory
550 Operation not permitted
550 SSL/TLS required on the control channel
522 SSL/TLS required on the data channel
421 Too many failures
530 Account expired
530 User cannot log in.
530 User cannot log in, home directory inaccessible.
530 Home directory not set
530 Maximum login attempts exceeded
530 Not enough privileges.
550 The system cannot find the file specified.
550 The process cannot access the file because it is being used by another process.
534 Policy requires SSL.
530 Valid hostname is expected.
550 Couldn't open the file
550 Filename invalid
550 Bad path
503 Login with USER first.
503 Use AUTH first!
503 Wrong sequence of commands.
530 Authentication failed.
530 Log in with USER and PASS first.
421 Maximum session time reached
421 Control connection timed out.
421 Maximum number of connections was reached.
550 Not enough permissions.
452 Insufficient disk space
552 Transfer aborted. Disk quota exceeded
550 Invalid directory
550 Illegal filename
550 Can't check for file existence
550 Could not get file modification time.
550 No files found.
550 Path is not retrievable.
230 Guest login ok, access restrictions apply.
530 User access denied.
530 Must perform authentication before identifying USER.
530 Password has expired
530 Password incorrect
530 User unknown
530 Unknown user
530 Invalid user name or password
530 No such user
530 Account locked
530 Account suspended
530 Your account has been suspended, please contact the administrator.
530 Your address is blocked
530 Not on the list of allowed addresses
550 Too many levels of symbolic links
550 Read-only file system
550 No space left on device
552 Insufficient disk space
530 The password was wrong, or the mailbox does not exist.
200 posting allowed
201 posting prohibited
205 connection closing
281 Authentication accepted
281 Authentication succeeded
281 Ok
381 Password required
381 Enter passphrase
381 PASS required
400 Service temporarily unavailable
400 too many connections
400 idle for too long
400 Load at maximum, please try later
401 reader
403 Internal fault or problem preventing action being taken
411 No such group
411 No such newsgroup
412 No newsgroup selected
412 Not in a newsgroup
420 Current article number is invalid
420 No current article selected
421 No next article in this group
422 No previous article in this group
423 No article with that number
423 No articles in that range
423 Bad article number
430 No article with that message-id
430 No such article found
435 Article not wanted
436 Transfer not possible; try again later
437 Transfer rejected; do not retry
440 Posting not permitted
440 Posting not allowed
441 Posting failed
441 435 Duplicate
441 You are not allowed to post to this group
480 Read access denied
480 Authentication required
480 Authentication required for command
480 Transfer permission denied
480 Command unavailable until suitable authentication
481 Authentication failed
481 Authentication rejected
481 Authentication failed/rejected
481 Invalid user name or password
482 Authentication commands issued out of sequence
482 Out of sequence
483 Encryption or stronger authentication required
483 Command unavailable until suitable privacy has been arranged
500 Unknown command
501 Syntax error in command
502 Command unavailable
502 Access restriction or permission denied
502 Access denied to your node
502 Read access denied
502 You have no permission to talk. Goodbye.
502 You have no permission to connect. Goodbye.
502 Too many connections from your host
503 feature not supported
503 program error, function not performed
503 No such mailbox
480 Please log in as a subscriber
400 Permission denied: your subscription has expired or the quota is used up
580 Can not initiate TLS negotiation
220 article retrieved - head and body follow
221 article retrieved - head follows
222 article retrieved - body follows
223 article retrieved - request text separately
224 Overview information follows
215 Newsgroup descriptions in form
231 New newsgroups follow
211 group selected
331 Previous account information was flushed, send password.
500 Unable to handle command
502 REIN command not implemented.
202 No storage allocation necessary
501 Reauthentication not supported
425 Can't build data connection: Connection refused.
480 NEWNEWS command disabled by administrator
224 Header or metadata information follows
257 **** is your current location
HTTP/1.1 401 Authorization Required
HTTP/1.1 401 Access Denied
HTTP/1.1 403 Access Forbidden
HTTP/1.1 403 Directory listing denied
HTTP/1.1 403 Rate limit exceeded
HTTP/1.1 404 File not found
HTTP/1.1 404 Object Not Found
HTTP/1.1 502 Proxy Error
HTTP/1.1 503 Service Temporarily Unavailable
HTTP/1.1 413 Request Entity Too Large
HTTP/1.1 416 Requested Range Not Satisfiable
HTTP/1.1 421 Misdirected Request
HTTP/1.1 503 Backend fetch failed
HTTP/1.1 401 Invalid token
HTTP/1.1 403 Permission required
HTTP/1.1 429 Quota exceeded for this person or account
`;

it.each(SERVER_REPLY_TEXTS.trim().split("\n"))(
  "maskPossibleSecretsInServerText does not change the server reply %s",
  (reply) => {
    expect(maskPossibleSecretsInServerText(reply)).toBe(reply);
  },
);

const JOKE_STATUS_CODES: ReadonlySet<string> = new Set(["418"]);

it.each(Object.entries(STATUS_CODES).filter(([code]) => !JOKE_STATUS_CODES.has(code)))(
  "maskPossibleSecretsInServerText does not change the HTTP status %s with the reason phrase %s",
  (code, phrase) => {
    const line = `HTTP/1.1 ${code} ${phrase}`;
    expect(maskPossibleSecretsInServerText(line)).toBe(line);
  },
);

it.each([
  "letmein",
  "qwerty",
  "dragon",
  "hunter2",
  "monkey",
  "sunshine",
  "iloveyou",
  "admin",
  "root123",
  "1234",
  "12345678",
])("maskPossibleSecretsInServerText masks the common password %s", (word) =>
  expect(maskPossibleSecretsInServerText(`530 ${word} is wrong`)).toBe("530 **** is wrong"),
);
