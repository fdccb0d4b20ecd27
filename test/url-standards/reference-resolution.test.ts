import { describe, expect, it } from "vitest";
import {
  RFC3986_BASE,
  RFC3986_REFERENCE_RESOLUTION_EXAMPLES,
} from "../../packages/core/test/syntax/rfc3986-reference-resolution-examples.ts";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";

const baseUrl = clientOfAllSchemes.parse(RFC3986_BASE);

/**
 * A strict parser returns `http:g` unchanged, and modern mode rejects it, because an http URL must have a host.
 */
const REFERENCE_WITHOUT_HOST = "http:g";

describe("client.resolve resolves the 42 examples of RFC 3986 §5.4", () => {
  it("the test data has the 42 examples, of which 23 are normal and 19 abnormal", () => {
    expect(RFC3986_REFERENCE_RESOLUTION_EXAMPLES).toHaveLength(42);
  });

  it.each(
    RFC3986_REFERENCE_RESOLUTION_EXAMPLES.filter(([reference]) => reference !== REFERENCE_WITHOUT_HOST),
  )("client.resolve resolves the reference %j to %s", (reference, target) => {
    expect(clientOfAllSchemes.resolve(baseUrl, reference).href).toBe(target);
  });

  it(`client.resolve rejects "${REFERENCE_WITHOUT_HOST}", which is an http URL without a host`, () => {
    expect(() => clientOfAllSchemes.resolve(baseUrl, REFERENCE_WITHOUT_HOST)).toThrow(
      expect.objectContaining({ code: "missing-slashes" }) as Error,
    );
  });

  it.each(RFC3986_REFERENCE_RESOLUTION_EXAMPLES)(
    "%j has the same target in the URL class of the platform",
    (reference, target) => {
      // `new URL` resolves "http:g" as RFC 3986 allows for backward compatibility, and adds the path "/" to "//g".
      const expected = reference === REFERENCE_WITHOUT_HOST ? "http://a/b/c/g" : new URL(target).href;
      expect(new URL(reference, RFC3986_BASE).href).toBe(expected);
    },
  );
});
