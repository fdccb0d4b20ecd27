import { describe, expect, it } from "vitest";
import { certificateProblem } from "../../src/guard/certificate.ts";

// <https://nodejs.org/api/tls.html#x509-certificate-error-codes>
describe("a failure of TLS", () => {
  it.each([
    ["CERT_HAS_EXPIRED", "expired", "its certificate has expired"],
    ["CERT_NOT_YET_VALID", "not-yet-valid", "its certificate is not valid yet"],
    ["CERT_REVOKED", "revoked", "its certificate was revoked"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "wrong-host", "its certificate is for another host"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "untrusted", /the option ca adds whom to trust/],
  ])("%s: the certificate is %s", (code, certificate, advice) => {
    const found = certificateProblem(Object.assign(new Error("no"), { code }));
    expect(found.certificate).toBe(certificate);
    expect(found.advice).toMatch(advice);
  });

  it.each([[{ code: "ECONNRESET" }], [{ code: "toString" }], [{}], [undefined], [null]])(
    "of %j says nothing of the certificate",
    (cause) => {
      expect(certificateProblem(cause)).toEqual({});
    },
  );
});
