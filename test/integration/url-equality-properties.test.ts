import type { AccessError } from "@anyscheme/core";
import { type EqualityLevel, normalizeEscapes, type Syntax, uchar, type Url } from "@anyscheme/core/syntax";
import type { HttpUrl } from "@anyscheme/scheme-http";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { respellUrl, arbitraryUrlTexts } from "../fixtures/arbitrary-urls.ts";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";
import { ALL_SYNTAXES } from "../fixtures/all-syntaxes.ts";

/**
 * True when the formatted URL conforms to RFC 1738. `format` does not change a host or name for which RFC 1738 has no
 * form.
 */
function hasRfc1738Form(url: Url, syntax: Syntax): boolean {
  return syntax.canParse(syntax.format(url), { mode: "rfc1738" });
}

function isHttpUrl(url: Url): url is HttpUrl {
  return /^https?$/.test(url.scheme);
}

/** True for a news URL with a server, for which RFC 1738 has no form. */
function isNewsUrlWithServer(url: Url): boolean {
  return /^s?news:\/\//i.test(url.href);
}

/**
 * True for an http URL with a login, or with characters that are sent as written and that `format` encodes. `format`
 * also omits the server of a news URL.
 */
function isChangedByFormat(url: Url): boolean {
  if (isNewsUrlWithServer(url)) return true;
  if (!isHttpUrl(url)) return false;
  const { user, path = "", search = "" } = url;
  const loneEscape = /%(?![0-9A-Fa-f]{2})/;
  return (
    user !== undefined || /[[\]|]/.test(path) || /[/?[\]|^`{}]/.test(search) || loneEscape.test(path + search)
  );
}

function parseOrSkip(text: string): Url {
  const { url } = clientOfAllSchemes.tryParse(text);
  fc.pre(url !== undefined);
  return url;
}

/** A fixed seed, so that failures are reproducible. */
const PROPERTY_RUNS = { seed: 1738, numRuns: 300 };
const EQUALITY_LEVELS: readonly EqualityLevel[] = ["identical", "equivalent", "same-plan"];

describe.each(ALL_SYNTAXES.map((syntax) => [syntax.schemes.join(" ") || "generic", syntax] as const))(
  "any URL: %s",
  (_, syntax) => {
    const texts = arbitraryUrlTexts(syntax.schemes);

    it("the normal form of a URL conforms, is equivalent to the URL, and is its own normal form", () => {
      fc.assert(
        fc.property(texts, (text) => {
          const { url } = syntax.tryParse(text);
          fc.pre(url !== undefined);
          const normal = syntax.normalize(url);
          const again = syntax.parse(normal);
          expect(syntax.normalize(again)).toBe(normal);
          expect(clientOfAllSchemes.equal(url, again)).toBe(true);
          expect(clientOfAllSchemes.equal(url, clientOfAllSchemes.format(url))).toBe(!isChangedByFormat(url));
          if (!isHttpUrl(url) && !isNewsUrlWithServer(url) && hasRfc1738Form(url, syntax))
            expect(syntax.canParse(normal, { mode: "rfc1738" })).toBe(true);
        }),
        PROPERTY_RUNS,
      );
    });

    it("a URL is equal to itself, and equality is symmetric", () => {
      fc.assert(
        fc.property(texts, fc.func(fc.boolean()), texts, (text, choose, third) => {
          const url = parseOrSkip(text);
          const other = parseOrSkip(respellUrl(text, choose));
          const levels = EQUALITY_LEVELS.filter((level) => level !== "same-plan" || allHavePlans(url, other));
          for (const level of levels) {
            expect(clientOfAllSchemes.equal(url, url, level)).toBe(true);
            expect(clientOfAllSchemes.equal(url, other, level)).toBe(
              clientOfAllSchemes.equal(other, url, level),
            );
          }
          const stranger = parseOrSkip(third);
          expect(clientOfAllSchemes.equal(url, stranger)).toBe(clientOfAllSchemes.equal(stranger, url));
        }),
        PROPERTY_RUNS,
      );
    });

    it("a URL is equivalent to each of its spellings, and has the same plan unless the URL is sent as written", () => {
      fc.assert(
        fc.property(texts, fc.func(fc.boolean()), (text, choose) => {
          const url = parseOrSkip(text);
          const other = parseOrSkip(respellUrl(text, choose));
          expect(clientOfAllSchemes.equal(url, other)).toBe(true);
          if (/^https?:/i.test(text) || url.deviations.length > 0 || !allHavePlans(url, other)) return;
          expect(clientOfAllSchemes.equal(url, other, "same-plan")).toBe(true);
        }),
        PROPERTY_RUNS,
      );
    });

    it("a URL, its normal form and every equivalent URL send the same bytes", () => {
      fc.assert(
        fc.property(texts, texts, fc.func(fc.boolean()), (text, another, choose) => {
          const url = parseOrSkip(text);
          const others = [
            respellUrl(text, choose),
            syntax.normalize(url),
            clientOfAllSchemes.format(url),
            another,
          ];
          for (const other of others.map(parseOrSkip))
            if (clientOfAllSchemes.equal(url, other))
              expect(sentBytesOrError(url)).toEqual(sentBytesOrError(other));
        }),
        PROPERTY_RUNS,
      );
    });
  },
);

/** True when all URLs have a plan: their schemes are registered and allow all bytes. */
function allHavePlans(...urls: readonly Url[]): boolean {
  return urls.every((url) => {
    try {
      return clientOfAllSchemes.plan(url).steps.length > 0;
    } catch {
      return false;
    }
  });
}

/**
 * Returns the endpoints and bytes of the plan for a URL, or the error of `plan`. The escapes in http's requests are
 * normalized (RFC 9110 §4.2.3).
 */
function sentBytesOrError(url: Url): unknown {
  try {
    return clientOfAllSchemes.plan(url).steps.map(({ action, target, bytes = new Uint8Array() }) => {
      const text = Buffer.from(bytes).toString("latin1");
      return [
        action,
        target,
        /^https?:/i.test(url.href) ? normalizeEscapes(text, `${uchar.characters}~`) : text,
      ];
    });
  } catch (error) {
    return (error as AccessError).code;
  }
}
