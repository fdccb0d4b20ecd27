import { describe, expect, it } from "vitest";
import { RFC3986_BASE, RFC3986_EXAMPLES } from "../../packages/core/test/syntax/rfc3986-examples.ts";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";

const base = clientOfAllSchemes.parse(RFC3986_BASE);

/** A strict parser returns this reference unchanged, and it is no URL: an http URL has a host. */
const REFERENCE_WITHOUT_HOST = "http:g";

describe("client.resolve resolves the 42 examples of RFC 3986 §5.4", () => {
  it("which are 23 normal and 19 abnormal examples", () => {
    expect(RFC3986_EXAMPLES).toHaveLength(42);
  });

  it.each(RFC3986_EXAMPLES.filter(([reference]) => reference !== REFERENCE_WITHOUT_HOST))(
    "%j is %s",
    (reference, target) => {
      expect(clientOfAllSchemes.resolve(base, reference).href).toBe(target);
    },
  );

  it(`except "${REFERENCE_WITHOUT_HOST}", which is an http URL without a host`, () => {
    expect(() => clientOfAllSchemes.resolve(base, REFERENCE_WITHOUT_HOST)).toThrow(
      expect.objectContaining({ code: "missing-slashes" }) as Error,
    );
  });

  it.each(RFC3986_EXAMPLES)(
    "%j has the same target in the URL class of the platform",
    (reference, target) => {
      // The platform resolves "http:g" as RFC 3986 allows for backward compatibility, and writes the path of "//g".
      const expected = reference === REFERENCE_WITHOUT_HOST ? "http://a/b/c/g" : new URL(target).href;
      expect(new URL(reference, RFC3986_BASE).href).toBe(expected);
    },
  );
});
