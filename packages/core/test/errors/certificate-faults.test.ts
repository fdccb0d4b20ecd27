import { describe, expect, it } from "vitest";
import { getServerCertificateFaultAndAdvice } from "../../src/errors/network-failures.ts";

// <https://nodejs.org/api/tls.html#x509-certificate-error-codes>
describe("the certificate fault of a TLS error", () => {
  it.each([
    ["CERT_HAS_EXPIRED", "expired", undefined],
    ["CERT_NOT_YET_VALID", "not-yet-valid", undefined],
    ["CERT_REVOKED", "revoked", undefined],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "wrong-host", undefined],
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "untrusted",
      "if you trust its issuer, add its certificate with the option ca",
    ],
  ])("the TLS error %s means a certificate that is %s", (code, certificate, advice) => {
    expect(getServerCertificateFaultAndAdvice(Object.assign(new Error("no"), { code }))).toEqual({
      certificate,
      ...(advice && { advice }),
    });
  });

  it.each([[{ code: "ECONNRESET" }], [{ code: "toString" }], [{}], [undefined], [null]])(
    "the TLS error %j indicates no certificate fault",
    (cause) => {
      expect(getServerCertificateFaultAndAdvice(cause)).toEqual({});
    },
  );
});
