import type { AccessError } from "@anyscheme/core";

export type ExitName =
  | "ok"
  | "unknownScheme"
  | "usage"
  | "malformed"
  | "unsupported"
  | "resolve"
  | "connect"
  | "weirdReply"
  | "denied"
  | "partial"
  | "httpStatus"
  | "write"
  | "range"
  | "timeout"
  | "tls"
  | "file"
  | "aborted"
  | "listen"
  | "redirects"
  | "certificate"
  | "limit"
  | "login"
  | "internal"
  | "notFound"
  | "interrupted"
  | "terminated";

/**
 * The exit codes: curl's, by number, with what they mean here. `curl(1)`, "EXIT CODES". As with `grep` and compilers, 1 is
 * also what a search says that found nothing, and a check that found something.
 */
export const EXIT_CODES: Readonly<Record<ExitName, readonly [exit: number, meaning: string]>> = {
  ok: [0, "success"],
  unknownScheme: [1, "the scheme is not known; extract found no URL, lint something to show"],
  usage: [2, "usage error"],
  malformed: [3, "the text is no URL, or holds bytes that must not be sent"],
  unsupported: [4, "the scheme has no such access"],
  resolve: [6, "the host name cannot be resolved"],
  connect: [7, "no connection, or the port, name or address is refused"],
  weirdReply: [8, "the server sent an error, or a reply that is not valid"],
  denied: [9, "access denied"],
  partial: [18, "the transfer ended before the end of the file, or a listing is incomplete"],
  httpStatus: [22, "the HTTP server answered with an error"],
  write: [23, "the output cannot be written"],
  timeout: [28, "a time limit was reached"],
  range: [33, "the requested range lies outside the content"],
  tls: [35, "TLS failed"],
  file: [37, "a file cannot be read"],
  aborted: [42, "aborted"],
  listen: [45, "the port to listen at cannot be used"],
  redirects: [47, "too many redirects, or one that is refused"],
  certificate: [60, "the server's certificate is not good"],
  limit: [63, "a size limit was reached"],
  login: [67, "the server wants a password, or refuses the one it got"],
  internal: [70, "a fault of this program, or of a plug-in"],
  notFound: [78, "there is no such resource"],
  interrupted: [130, "interrupted"],
  terminated: [143, "terminated"],
};

/** What each code of an `AccessError` exits with. A row of schemes decides by the scheme of the URL. */
const EXIT_NAME_BY_CODE: Readonly<
  Record<AccessError["code"], ExitName | Readonly<Record<string, ExitName>>>
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
  unavailable: { http: "httpStatus", https: "httpStatus", other: "weirdReply" },
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

/** The exit code of a name. */
export function exitCode(name: ExitName): number {
  return EXIT_CODES[name][0];
}

/** The exit code of an access that failed. */
export function exitNameFor(error: AccessError): ExitName {
  if (error.limit === "maxRedirects") return "redirects";
  if (error.code === "unavailable") {
    const failed = connectionExitName(error);
    if (failed) return failed;
  }
  if (isLoginRefused(error)) return "login";
  const row = EXIT_NAME_BY_CODE[error.code];
  if (typeof row === "string") return row;
  const scheme = /^[^:]*/.exec(error.url ?? "")?.[0] ?? "";
  const name = row[scheme];
  // Only the step that waits for the response can fail by what an HTTP server answers.
  const isOwn = name !== "httpStatus" || error.step?.action === "expect";
  return (isOwn ? name : undefined) ?? row["other"] ?? "internal";
}

// Names of the failures of a certificate in OpenSSL and Node: <https://nodejs.org/api/tls.html#x509-certificate-error-codes>
const CERTIFICATE_ERROR =
  /^(?:CERT_|CRL_|UNABLE_TO_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** How a connection failed: by the step, and for names and certificates by the error of the system below. */
function connectionExitName(error: AccessError): ExitName | undefined {
  const causes = causeChain(error);
  if (causes.some(({ syscall = "" }) => /^(?:getaddrinfo|query)/.test(syscall))) return "resolve";
  if (causes.some(({ code }) => CERTIFICATE_ERROR.test(String(code)))) return "certificate";
  switch (error.step?.action) {
    case "resolve":
      return "resolve";
    case "connect":
      return "connect";
    case "tls":
      return "tls";
    default:
      return causes.some(({ syscall }) => syscall === "connect") ? "connect" : undefined;
  }
}

// Replies 331 and 332 belong to the login (RFC 959 §4.2.2), and so do the steps that wait for them or depend on them.
function isLoginRefused({ code, step }: AccessError): boolean {
  return (
    code === "permission-denied" &&
    (/^33[12]$/.test(step?.onReply ?? "") || step?.expectReplies?.includes("331") === true)
  );
}

function causeChain(error: unknown): NodeJS.ErrnoException[] {
  const causes: NodeJS.ErrnoException[] = [];
  for (let cause = (error as Error).cause; cause instanceof Error && causes.length < 10; cause = cause.cause)
    causes.push(cause);
  return causes;
}
