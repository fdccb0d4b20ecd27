import type { ServerCertificateFault } from "./access-error.ts";

interface NetworkFailure {
  readonly reason: string;
  /** The fault of the server's TLS certificate that causes the failure. */
  readonly certificate?: ServerCertificateFault;
}

/**
 * The network failures, by the error code of Node.js or of the operating system.
 * <https://nodejs.org/api/errors.html>, <https://nodejs.org/api/tls.html#x509-certificate-error-codes>
 */
const NETWORK_FAILURES_BY_CODE: Readonly<Record<string, NetworkFailure>> = {
  ECONNREFUSED: { reason: "connection refused" },
  ECONNRESET: { reason: "connection reset by the server" },
  ECONNABORTED: { reason: "connection aborted" },
  EPIPE: { reason: "connection closed by the server" },
  ETIMEDOUT: { reason: "timed out" },
  EHOSTUNREACH: { reason: "no route to the host" },
  EHOSTDOWN: { reason: "the host is down" },
  ENETUNREACH: { reason: "the network is unreachable" },
  ENETDOWN: { reason: "the network is down" },
  EADDRNOTAVAIL: { reason: "the address is not available on this machine" },
  EAFNOSUPPORT: { reason: "this machine has no addresses of that family" },
  EACCES: { reason: "not permitted by the operating system" },
  EPERM: { reason: "not permitted by the operating system" },
  EMFILE: { reason: "too many open files" },
  ENOBUFS: { reason: "no buffer space left" },
  // Failures of name look-ups.
  ENOTFOUND: { reason: "no such name" },
  EAI_NONAME: { reason: "no such name" },
  ENODATA: { reason: "the host name has no address" },
  EAI_NODATA: { reason: "the host name has no address" },
  EAI_AGAIN: { reason: "the name server does not answer" },
  EAI_FAIL: { reason: "the name server failed" },
  ESERVFAIL: { reason: "the name server failed" },
  ETIMEOUT: { reason: "the name server does not answer" },
  EREFUSED: { reason: "the name server refused" },
  // Failures of TLS.
  CERT_HAS_EXPIRED: { reason: "the certificate has expired", certificate: "expired" },
  CERT_NOT_YET_VALID: { reason: "the certificate is not valid yet", certificate: "not-yet-valid" },
  CERT_REVOKED: { reason: "the certificate was revoked", certificate: "revoked" },
  HOSTNAME_MISMATCH: { reason: "the certificate is for another host", certificate: "wrong-host" },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: "the certificate is for another host", certificate: "wrong-host" },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: "the certificate is self-signed", certificate: "untrusted" },
  SELF_SIGNED_CERT_IN_CHAIN: {
    reason: "the issuer of the certificate is not trusted",
    certificate: "untrusted",
  },
  UNABLE_TO_GET_ISSUER_CERT: {
    reason: "the issuer of the certificate is not trusted",
    certificate: "untrusted",
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    reason: "the issuer of the certificate is not trusted",
    certificate: "untrusted",
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    reason: "the issuer of the certificate is not trusted",
    certificate: "untrusted",
  },
  CERT_UNTRUSTED: { reason: "the issuer of the certificate is not trusted", certificate: "untrusted" },
  CERT_REJECTED: { reason: "the issuer of the certificate is not trusted", certificate: "untrusted" },
  CERT_SIGNATURE_FAILURE: { reason: "the signature of the certificate is wrong", certificate: "untrusted" },
  INVALID_CA: {
    reason: "an issuer of the certificate is not a certificate authority",
    certificate: "untrusted",
  },
  INVALID_PURPOSE: { reason: "the certificate is not valid for a server", certificate: "untrusted" },
  ERR_SSL_WRONG_VERSION_NUMBER: { reason: "the server does not speak TLS" },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { reason: "the server does not speak TLS" },
  ERR_SSL_UNSUPPORTED_PROTOCOL: { reason: "the server does not support TLS 1.2 or later" },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: { reason: "the server refuses this version of TLS" },
};

/** The maximum length of the list of certificate hosts in a message, in characters. */
const MAX_HOST_LIST_LENGTH = 200;

/**
 * Returns the reason of a network failure, as in `connection refused (ECONNREFUSED)`. Returns the error's own message
 * if the error has no code.
 */
export function describeNetworkFailure(cause: unknown): string {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== "string")
    return typeof message === "string" && message !== "" ? message : "unknown error";
  const reason = findNetworkFailure(code)?.reason ?? describeTlsAlert(code) ?? "unknown error";
  return `${reason}${listCertificateHosts(cause as object)} (${code})`;
}

/**
 * Returns the certificate fault of a TLS failure as fields of an error. Returns an empty object for a failure without a
 * certificate fault.
 */
export function getServerCertificateFaultAndAdvice(cause: unknown): {
  readonly certificate?: ServerCertificateFault;
  readonly advice?: string;
} {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const certificate = code === undefined ? undefined : findNetworkFailure(code)?.certificate;
  if (certificate === undefined) return {};
  if (certificate !== "untrusted") return { certificate };
  return { certificate, advice: "if you trust its issuer, add its certificate with the option ca" };
}

function findNetworkFailure(code: string): NetworkFailure | undefined {
  return Object.hasOwn(NETWORK_FAILURES_BY_CODE, code) ? NETWORK_FAILURES_BY_CODE[code] : undefined;
}

/** Returns a description of a TLS alert that the server sent. RFC 8446 §6. */
function describeTlsAlert(code: string): string | undefined {
  const [, alert] = /^ERR_SSL_(?:TLSV1|TLSV13|SSLV3|SSL\/TLS)_ALERT_(\w+)$/.exec(code) ?? [];
  return alert && `the server refuses the handshake: ${alert.toLowerCase().replaceAll("_", " ")}`;
}

/** Returns the list of the host names in a certificate that belongs to another host. */
function listCertificateHosts(cause: object): string {
  const { cert } = cause as { readonly cert?: { readonly subjectaltname?: unknown } };
  if (typeof cert?.subjectaltname !== "string") return "";
  const names = cert.subjectaltname.replace(/\b(?:DNS|IP Address):/g, "").replace(/[^\x20-\x7e]/g, "?");
  return `, ${names.length > MAX_HOST_LIST_LENGTH ? `${names.slice(0, MAX_HOST_LIST_LENGTH)}…` : names}`;
}
