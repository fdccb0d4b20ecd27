import { describe, expect, it } from "vitest";
import { createFtpReplyError } from "../../src/session/reply-errors.ts";

type RefusedCommand = Parameters<typeof createFtpReplyError>[1];

function createRefusedCommand(description: string | undefined): RefusedCommand {
  return description === undefined ? undefined : { description, command: description.split(" ")[0] };
}

describe("createFtpReplyError derives the error code from a reply", () => {
  it.each<[string, string, string | undefined, boolean, string]>([
    ["421", "too many connections", undefined, false, "unavailable"],
    ["425", "no data connection", "RETR x", false, "unavailable"],
    ["450", "busy", "RETR x", false, "unavailable"],
    ["450", "x: No such file or directory", "NLST x", false, "not-found"],
    ["451", "local error", "RETR x", false, "unavailable"],
    ["499", "later", "RETR x", false, "unavailable"],
    ["500", "what?", "EPSV", false, "unsupported"],
    ["501", "missing argument", "CWD (a null argument)", false, "unsupported"],
    ["502", "no", "NLST", false, "unsupported"],
    ["504", "no", "TYPE A (as given)", false, "unsupported"],
    ["521", "PROT C is not permitted", "RETR x", false, "unsupported"],
    ["522", "use (1)", "EPSV", false, "unsupported"],
    ["530", "login incorrect", "PASS ****", false, "permission-denied"],
    ["430", "login incorrect", "PASS ****", false, "permission-denied"],
    ["530", "no anonymous users", "USER anonymous", true, "authentication-required"],
    ["530", "not here", "RETR x", true, "permission-denied"],
    ["532", "account", "RETR x", false, "authentication-required"],
    ["533", "PROT P is required", "PASV", false, "permission-denied"],
    ["534", "not permitted", "AUTH TLS", false, "permission-denied"],
    ["536", "PROT P is not supported", "PROT P", false, "unsupported"],
    ["550", "Failed to open file.", "RETR x", false, "not-found"],
    ["550", "x: Permission denied", "RETR x", false, "permission-denied"],
    ["550", "full: File exists", "MKD full", false, "rejected"],
    ["550", "Directory already exists", "MKD full", false, "rejected"],
    ["521", '"/full" directory already exists', "MKD full", false, "rejected"],
    ["553", "x: File exists", "RNTO x", false, "rejected"],
    ["550", "full: Directory not empty", "RMD full", false, "rejected"],
    ["550", "full: Is a directory", "DELE full", false, "rejected"],
    ["550", "full: Is a directory", "RETR full", false, "not-found"],
    ["550", "Create directory operation failed.", "MKD x", false, "rejected"],
    ["550", "Rename failed.", "RNTO x", false, "rejected"],
    ["550", "x", "STOR x", false, "rejected"],
    ["550", "x", "APPE x", false, "rejected"],
    ["550", "x: No such file or directory", "STOR x", false, "not-found"],
    ["550", "x does not exist", "RNTO no/x", false, "not-found"],
    ["550", "x does not exist", "DELE x", false, "not-found"],
    ["550", "Remove directory operation failed.", "RMD x", false, "not-found"],
    ["550", "This server is read-only.", "MKD x", false, "permission-denied"],
    ["550", "Read only file system", "DELE x", false, "permission-denied"],
    ["551", "page type unknown", "RETR x", false, "unsupported"],
    ["552", "too much", "RETR x", false, "unavailable"],
    ["553", "bad name", "RETR x", false, "permission-denied"],
    ["599", "no", "RETR x", false, "unavailable"],
    ["226", "done", "RETR x", false, "protocol"],
    ["350", "go on", "USER x", false, "protocol"],
  ])(
    'createFtpReplyError maps the reply "%s %s" after the command %s (anonymous user: %s) to the error code %s',
    (code, words, description, isAnonymous, expected) => {
      const error = createFtpReplyError(
        { code, text: `${code} ${words}` },
        createRefusedCommand(description),
        { isAnonymous },
      );
      expect(error.code).toBe(expected);
      expect(error.message).toContain(`${code} ${words}`);
    },
  );
});

describe("createFtpReplyError adds advice to the error", () => {
  const adviceOf = (description: string, text: string, isAnonymous = false): string =>
    createFtpReplyError({ code: text.slice(0, 3), text }, createRefusedCommand(description), { isAnonymous })
      .advice ?? "";

  it.each([
    ["vsftpd", "550 Failed to open file."],
    ["proftpd", "550 dir: Not a regular file"],
    ["pure-ftpd", "550 I can only retrieve regular files"],
    ["pyftpdlib", "550 Is a directory."],
    ["inetutils' ftpd", "550 dir: not a plain file."],
  ])(
    "the error for the reply of %s to RETR of a directory advises a slash at the end of the URL",
    (_, text) => {
      expect(adviceOf("RETR dir", text)).toMatch(/may be a directory.* slash .*;type=d/);
      expect(adviceOf("CWD dir", text)).toBe("");
      expect(adviceOf("MDTM dir", text)).toBe("");
    },
  );

  it.each(["550 dir: Is a directory", "550 dir: Not a regular file"])(
    'the error for the reply "%s" to DELE advises a slash at the end of the URL',
    (text) => {
      expect(adviceOf("DELE dir", text)).toMatch(/may be a directory.* slash/);
      expect(adviceOf("DELE dir", "550 Delete operation failed.")).toBe("");
    },
  );

  it.each([
    ["proftpd", "550 missing: No such file or directory"],
    ["pure-ftpd", "550 Can't open missing: No such file or directory"],
    ["another server", "550 File not found"],
    ["a server that denies permission", "550 x: Permission denied"],
  ])("createFtpReplyError gives no advice for the reply to RETR of a missing file: %s", (_, text) => {
    expect(adviceOf("RETR x", text)).toBe("");
  });

  it("the error for a file URL with a final slash advises to remove the slash", () => {
    for (const command of ["CWD", "RMD"])
      expect(adviceOf(`${command} a.bin`, "550 a.bin: Not a directory")).toContain("no slash");
  });

  it.each([
    ["PASS ****", "530 Login incorrect.", false],
    ["USER me", "530 This FTP server is anonymous only.", false],
    ["USER anonymous", "530 no anonymous users", true],
    ["PASS anonymous@", "530 Login incorrect.", true],
  ])(
    'the error for a refused %s with the reply "%s" advises the option credentials',
    (description, text, isAnonymous) => {
      expect(adviceOf(description, text, isAnonymous)).toContain("option credentials");
    },
  );

  it.each([
    ["vsftpd", "530 Anonymous sessions must use encryption."],
    ["proftpd", "550 SSL/TLS required on the control channel"],
    ["pure-ftpd", "421 Sorry, cleartext sessions and weak ciphers are not accepted on this server."],
    ["IIS", "534 Policy requires SSL."],
    ["FileZilla", "503 Use AUTH first."],
  ])("the error for a login that %s accepts only over TLS advises the option tls", (_, text) => {
    const reply = { code: text.slice(0, 3), text };
    for (const description of ["USER anonymous", "PASS ****"]) {
      for (const isAnonymous of [true, false]) {
        const error = createFtpReplyError(reply, createRefusedCommand(description), { isAnonymous });
        expect(error.code).toBe("permission-denied");
        expect(error.advice).toContain('option tls: "explicit"');
      }
    }
  });

  it("the error for a refused login over TLS does not advise the option tls", () => {
    const reply = { code: "530", text: "530 TLS is not enough" };
    const error = createFtpReplyError(reply, createRefusedCommand("PASS ****"), { isSecure: true });
    expect(error.advice).toContain("option credentials");
  });
});
