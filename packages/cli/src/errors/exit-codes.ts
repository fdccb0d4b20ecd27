import type { AccessError } from "@anyscheme/core";

/**
 * The exit codes by name, in ascending order. Most numbers have the same meaning as in the section "EXIT CODES" of
 * `curl(1)`.
 */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "success" },
  unknownScheme: { code: 1, meaning: "unsupported scheme; extract found no URL; lint found a problem" },
  usage: { code: 2, meaning: "usage error" },
  malformed: { code: 3, meaning: "malformed URL, or a URL with characters that must not be sent" },
  unsupported: { code: 4, meaning: "operation not supported for this URL" },
  resolve: { code: 6, meaning: "could not resolve host" },
  connect: { code: 7, meaning: "could not connect, or the client refuses the port, host name or address" },
  weirdReply: { code: 8, meaning: "the server sent an error or an invalid reply" },
  denied: { code: 9, meaning: "access denied" },
  partial: { code: 18, meaning: "the file or the directory listing is incomplete" },
  httpStatus: { code: 22, meaning: "the HTTP server returned an error" },
  write: { code: 23, meaning: "could not write the output" },
  timeout: { code: 28, meaning: "operation timed out" },
  range: { code: 33, meaning: "the requested range is outside the file" },
  tls: { code: 35, meaning: "TLS handshake failed" },
  file: { code: 37, meaning: "could not read a file" },
  aborted: { code: 42, meaning: "aborted" },
  listen: { code: 45, meaning: "could not listen at the port" },
  redirects: { code: 47, meaning: "too many redirects, or the client refuses a redirect" },
  certificate: { code: 60, meaning: "the server's certificate could not be verified" },
  limit: { code: 63, meaning: "maximum size exceeded" },
  login: { code: 67, meaning: "login failed, or a password is required" },
  internal: { code: 70, meaning: "internal error of the command or of a plug-in" },
  notFound: { code: 78, meaning: "no such file, directory or article" },
  proxy: { code: 97, meaning: "the proxy cannot be reached, or refuses the connection or the login" },
  interrupted: { code: 130, meaning: "interrupted (SIGINT)" },
  terminated: { code: 143, meaning: "terminated (SIGTERM or SIGHUP)" },
} as const;

export type ExitCodeName = keyof typeof EXIT_CODES;

/**
 * The name of the exit code for each code of an `AccessError`. For some error codes, the exit code depends on the URL
 * scheme.
 */
const EXIT_CODE_NAMES_BY_ERROR_CODE: Readonly<
  Record<AccessError["code"], ExitCodeName | Readonly<Record<string, ExitCodeName>>>
> = {
  "unknown-scheme": "unknownScheme",
  "refused-port": "connect",
  "refused-address": "connect",
  "refused-name": "connect",
  "refused-characters": "malformed",
  "refused-redirect": "redirects",
  "authentication-required": "login",
  "permission-denied": { http: "httpStatus", https: "httpStatus", file: "file", other: "denied" },
  "not-found": { http: "httpStatus", https: "httpStatus", file: "file", other: "notFound" },
  rejected: "httpStatus",
  unavailable: { http: "httpStatus", https: "httpStatus", other: "weirdReply" },
  proxy: "proxy",
  protocol: "weirdReply",
  incomplete: "partial",
  limit: "limit",
  timeout: "timeout",
  aborted: "aborted",
  unsupported: { http: "httpStatus", https: "httpStatus", other: "unsupported" },
  "out-of-range": "range",
  "no-content": { file: "file", other: "unsupported" },
  plugin: "internal",
};

export function getExitCodeByName(exitCodeName: ExitCodeName): number {
  return EXIT_CODES[exitCodeName].code;
}

/** Returns the name of the exit code for a failed request. */
export function getExitCodeNameForError(error: AccessError): ExitCodeName {
  if (error.limit === "maxRedirects") return "redirects";
  if (error.code === "unavailable") {
    const exitCodeName = getExitCodeNameForConnection(error);
    if (exitCodeName) return exitCodeName;
  }
  if (isLoginRefused(error)) return "login";
  const row = EXIT_CODE_NAMES_BY_ERROR_CODE[error.code];
  if (typeof row === "string") return row;
  const scheme = /^[^:]*/.exec(error.url ?? "")?.[0] ?? "";
  const exitCodeName = Object.hasOwn(row, scheme) ? row[scheme] : undefined;
  // An HTTP error status arrives in the step that expects the response. A failure in another step, such as connect,
  // is not an HTTP error.
  const applies = exitCodeName !== "httpStatus" || error.step?.action === "expect";
  return (applies ? exitCodeName : undefined) ?? row["other"] ?? "internal";
}

// Matches the names of certificate errors in OpenSSL and Node.js:
// <https://nodejs.org/api/tls.html#x509-certificate-error-codes>
const CERTIFICATE_ERROR_CODE =
  /^(?:CERT_|CRL_|UNABLE_TO_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** Returns the name of the exit code for a failed connection, by the failed step and the system errors. */
function getExitCodeNameForConnection(error: AccessError): ExitCodeName | undefined {
  const causes = collectErrorCauses(error);
  if (causes.some(({ syscall = "" }) => /^(?:getaddrinfo|query)/.test(syscall))) return "resolve";
  if (causes.some(({ code }) => CERTIFICATE_ERROR_CODE.test(String(code)))) return "certificate";
  switch (error.step?.action) {
    case "resolve":
      return "resolve";
    case "connect":
      return "connect";
    case "tls":
      return "tls";
    default:
      // A datagram is refused while the client sends or receives.
      return causes.some(({ code, syscall }) => syscall === "connect" || code === "ECONNREFUSED")
        ? "connect"
        : undefined;
  }
}

// The FTP replies 331 and 332 request a password or an account (RFC 959 §4.2.2). A step of the plan that expects the
// FTP reply 331, or that is executed on a reply 331 or 332, belongs to the login.
function isLoginRefused({ code, step }: AccessError): boolean {
  return (
    code === "permission-denied" &&
    (/^33[12]$/.test(step?.onReply ?? "") || step?.expectReplies?.includes("331") === true)
  );
}

function collectErrorCauses(error: unknown): NodeJS.ErrnoException[] {
  const causes: NodeJS.ErrnoException[] = [];
  for (let cause = (error as Error).cause; cause instanceof Error && causes.length < 10; cause = cause.cause)
    causes.push(cause);
  return causes;
}
