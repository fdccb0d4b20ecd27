import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkHostAgainstOtherParsers, TESTED_SCHEME_NAMES } from "./check-host-against-other-parsers.ts";
import { arbitraryMisleadingUrls } from "./misleading-url-generator.ts";

const TEXTS_PER_SCHEME = 2_000;
const RANDOM_SEED = 1738;

describe("the expected host of a URL is the host that new URL and an RFC 3986 parser find", () => {
  it.each(TESTED_SCHEME_NAMES)(
    `the client plans to connect to the expected host of ${TEXTS_PER_SCHEME} texts of the scheme %s, or refuses the text`,
    (scheme) => {
      const outcomes = new Map<string, number>();
      fc.assert(
        fc.property(arbitraryMisleadingUrls(scheme), (text) => {
          const outcome = checkHostAgainstOtherParsers(text);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }),
        { numRuns: TEXTS_PER_SCHEME, seed: RANDOM_SEED },
      );
      // Texts that the parser always rejects would prove nothing.
      const accepted = scheme === "mailto" ? "no host" : "dialled";
      expect(outcomes.get(accepted)).toBeGreaterThan(TEXTS_PER_SCHEME / 20);
      expect(outcomes.get("refused")).toBeGreaterThan(TEXTS_PER_SCHEME / 20);
    },
  );

  it.each([
    ["http://good/", "dialled"],
    ["http://good:8080/a?b@c", "dialled"],
    [" HTTP://Good.Example./ ", "dialled"],
    ["https://u:p@b\u00fccher.example", "dialled"],
    ["ftp://[0:0::1]:2121/a", "dialled"],
    ["gopher://\u0392\u038c\u039b\u039f\u03a3.example/", "dialled"],
    ["file:///etc/hosts", "dialled"],
    ["file://LOCALHOST/etc/hosts", "dialled"],
    ["x-any://h:7/a", "dialled"],
    ["news:comp.infosystems", "dialled"],
    ["news://h/a@b", "dialled"],
    ["snews://h/comp.infosystems", "dialled"],
    ["mailto:a@b", "no host"],
    ["x-any:a@b", "no host"],
    ["http://good@evil@h/", "refused"],
    ["ftp://good?@evil/", "refused"],
    ["x-any://good?@evil/", "refused"],
    ["ftp://good#@evil/", "dialled"],
    ["http://good\\@evil/", "refused"],
    ["http://0x7f.1/", "refused"],
    ["http://good%2eexample/", "refused"],
    ["http://xn--a/", "refused"],
    ["http:/good/", "refused"],
  ])("the client has the expected outcome for the text %j: %s", (text, outcome) => {
    expect(checkHostAgainstOtherParsers(text)).toBe(outcome);
  });
});
