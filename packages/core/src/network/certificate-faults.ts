import type { CertificateFault } from "../errors/access-error.ts";

/**
 * The error codes of Node.js for invalid certificates. <https://nodejs.org/api/tls.html#x509-certificate-error-codes>
 */
const CERTIFICATE_FAULTS_BY_CODE: Readonly<Record<string, CertificateFault>> = {
  CERT_HAS_EXPIRED: "expired",
  CERT_NOT_YET_VALID: "not-yet-valid",
  CERT_REVOKED: "revoked",
  HOSTNAME_MISMATCH: "wrong-host",
  ERR_TLS_CERT_ALTNAME_INVALID: "wrong-host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  CERT_UNTRUSTED: "untrusted",
  CERT_REJECTED: "untrusted",
  CERT_SIGNATURE_FAILURE: "untrusted",
  INVALID_CA: "untrusted",
  INVALID_PURPOSE: "untrusted",
};

/** Further advice about a certificate, in addition to the reason in the message. */
const CERTIFICATE_FAULT_ADVICE: Readonly<Partial<Record<CertificateFault, string>>> = {
  untrusted: "if you trust its issuer, add its certificate with the option ca",
};

/**
 * Returns the certificate fault of a TLS failure as fields of an error. Returns an empty object for a failure without a
 * certificate fault.
 */
export function getCertificateFaultAndAdvice(cause: unknown): {
  readonly certificate?: CertificateFault;
  readonly advice?: string;
} {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const certificate =
    code !== undefined && Object.hasOwn(CERTIFICATE_FAULTS_BY_CODE, code)
      ? CERTIFICATE_FAULTS_BY_CODE[code]
      : undefined;
  if (!certificate) return {};
  const advice = CERTIFICATE_FAULT_ADVICE[certificate];
  return advice === undefined ? { certificate } : { certificate, advice };
}
