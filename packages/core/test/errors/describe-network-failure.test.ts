import { describe, expect, it } from "vitest";
import { describeNetworkFailure } from "../../src/errors/network-failures.ts";

const createNodeError = (code: string, more: object = {}): Error =>
  Object.assign(new Error("in Node's words"), { code }, more);

describe("describeNetworkFailure", () => {
  it.each([
    ["ECONNREFUSED", "connection refused (ECONNREFUSED)"],
    ["ECONNRESET", "connection reset by the server (ECONNRESET)"],
    ["ETIMEDOUT", "timed out (ETIMEDOUT)"],
    ["EHOSTUNREACH", "no route to the host (EHOSTUNREACH)"],
    ["ENETUNREACH", "the network is unreachable (ENETUNREACH)"],
    ["ENOTFOUND", "no such name (ENOTFOUND)"],
    ["EAI_AGAIN", "the name server does not answer (EAI_AGAIN)"],
    ["ESERVFAIL", "the name server failed (ESERVFAIL)"],
    ["ENODATA", "the host name has no address (ENODATA)"],
    ["CERT_HAS_EXPIRED", "the certificate has expired (CERT_HAS_EXPIRED)"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "the issuer of the certificate is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)"],
    ["CERT_REJECTED", "the issuer of the certificate is not trusted (CERT_REJECTED)"],
    ["INVALID_CA", "an issuer of the certificate is not a certificate authority (INVALID_CA)"],
    ["INVALID_PURPOSE", "the certificate is not valid for a server (INVALID_PURPOSE)"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "the server does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER)"],
    ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "the server refuses this version of TLS (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)"],
    ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "the server refuses the handshake: handshake failure (ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE)"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "the server refuses the handshake: certificate required (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)"],
    ["ESOMETHING", "unknown error (ESOMETHING)"],
    ["toString", "unknown error (toString)"],
  ])("describeNetworkFailure describes the error code %s", (code, reason) => expect(describeNetworkFailure(createNodeError(code))).toBe(reason)); // prettier-ignore

  it.each([
    ["the host names of the certificate", "DNS:a.example, IP Address:192.0.2.1", "a.example, 192.0.2.1"],
    ["no control characters", "DNS:a\u001b[31m.example", "a?[31m.example"],
    ["a shortened list of many host names", `DNS:${"a".repeat(300)}`, `${"a".repeat(200)}…`],
  ])("the reason of a wrong certificate contains %s", (_, subjectaltname, shown) => {
    const error = createNodeError("ERR_TLS_CERT_ALTNAME_INVALID", { cert: { subjectaltname } });
    expect(describeNetworkFailure(error)).toBe(
      `the certificate is for another host, ${shown} (ERR_TLS_CERT_ALTNAME_INVALID)`,
    );
  });

  it.each([
    [new Error("in its own words"), "in its own words"],
    [new Error(""), "unknown error"],
    [undefined, "unknown error"],
    [null, "unknown error"],
    [{}, "unknown error"],
    ["a text", "unknown error"],
  ])("describeNetworkFailure describes the error %j without a code as %j", (cause, reason) =>
    expect(describeNetworkFailure(cause)).toBe(reason),
  );
});
