/**
 * The reasons of network failures, by the error code of Node.js or of the operating system.
 * <https://nodejs.org/api/errors.html>
 */
const NETWORK_FAILURE_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by the server",
  ECONNABORTED: "connection aborted",
  EPIPE: "connection closed by the server",
  ETIMEDOUT: "timed out",
  EHOSTUNREACH: "no route to the host",
  EHOSTDOWN: "the host is down",
  ENETUNREACH: "the network is unreachable",
  ENETDOWN: "the network is down",
  EADDRNOTAVAIL: "the address is not available on this machine",
  EAFNOSUPPORT: "this machine has no addresses of that family",
  EACCES: "not permitted by the operating system",
  EPERM: "not permitted by the operating system",
  EMFILE: "too many open files",
  ENOBUFS: "no buffer space left",
  // Failures of name look-ups.
  ENOTFOUND: "no such name",
  EAI_NONAME: "no such name",
  ENODATA: "the host name has no address",
  EAI_NODATA: "the host name has no address",
  EAI_AGAIN: "the name server does not answer",
  EAI_FAIL: "the name server failed",
  ESERVFAIL: "the name server failed",
  ETIMEOUT: "the name server does not answer",
  EREFUSED: "the name server refused",
  // Failures of TLS.
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  CERT_REVOKED: "the certificate was revoked",
  HOSTNAME_MISMATCH: "the certificate is for another host",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the issuer of the certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the issuer of the certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the issuer of the certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the issuer of the certificate is not trusted",
  CERT_UNTRUSTED: "the issuer of the certificate is not trusted",
  CERT_SIGNATURE_FAILURE: "the signature of the certificate is wrong",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the server does not speak TLS",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "the server does not support TLS 1.2 or later",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "the server refuses this version of TLS",
};

/** The maximum length of the list of certificate hosts in a message, in characters. */
const MAX_HOST_LIST_LENGTH = 200;

/**
 * Returns the reason of a network failure as the end of a message, as in `: connection refused (ECONNREFUSED)`. Returns
 * the message of an error without a code, and `""` without an error.
 */
export function formatNetworkFailureReason(cause: unknown): string {
  if (cause === undefined || cause === null) return "";
  const { code, message } = cause as NodeJS.ErrnoException;
  if (typeof code !== "string") return typeof message === "string" && message !== "" ? `: ${message}` : "";
  const reason = Object.hasOwn(NETWORK_FAILURE_REASONS, code)
    ? NETWORK_FAILURE_REASONS[code]
    : describeTlsAlert(code);
  return reason === undefined ? ` (${code})` : `: ${reason}${listCertificateHosts(cause)} (${code})`;
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
