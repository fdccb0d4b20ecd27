import type { AccessError } from "@anyscheme/core";
import { type EqualityLevel, normalizeEscapes, type Syntax, uchar, type Url } from "@anyscheme/core/syntax";
import type { HttpUrl } from "@anyscheme/scheme-http";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { respellUrl, arbitraryUrlTexts } from "../fixtures/arbitrary-urls.ts";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";
import { ALL_SYNTAXES } from "../fixtures/all-syntaxes.ts";

/** True when RFC 1738 has a form for the host and the names. `format` writes others unchanged. */
function hasForm(url: Url, syntax: Syntax): boolean {
  return syntax.canParse(syntax.format(url), { mode: "rfc1738" });
}

function isHttp(url: Url): url is HttpUrl {
  return /^https?$/.test(url.scheme);
}

/** True for a news URL with a server, for which RFC 1738 has no form. */
function isNewsWithServer(url: Url): boolean {
  return /^s?news:\/\//i.test(url.href);
}

/**
 * True for an http URL with a login, or with characters that are sent as written and that `format` encodes. `format`
 * also omits the server of a news URL.
 */
function isChangedByFormat(url: Url): boolean {
  if (isNewsWithServer(url)) return true;
  if (!isHttp(url)) return false;
  const { user, path = "", search = "" } = url;
  const loneEscape = /%(?![0-9A-Fa-f]{2})/;
  return (
    user !== undefined || /[[\]|]/.test(path) || /[/?[\]|^`{}]/.test(search) || loneEscape.test(path + search)
  );
}

function read(text: string): Url {
  const { url } = clientOfAllSchemes.tryParse(text);
  fc.pre(url !== undefined);
  return url;
}

/** A fixed seed, so that failures are reproducible. */
const RUNS = { seed: 1738, numRuns: 300 };
const LEVELS: readonly EqualityLevel[] = ["identical", "equivalent", "same-plan"];

describe.each(ALL_SYNTAXES.map((syntax) => [syntax.schemes.join(" ") || "generic", syntax] as const))(
  "any URL: %s",
  (_, syntax) => {
    const texts = arbitraryUrlTexts(syntax.schemes);

    it("has a normal form that conforms, is equivalent to it and its own normal form", () => {
      fc.assert(
        fc.property(texts, (text) => {
          const { url } = syntax.tryParse(text);
          fc.pre(url !== undefined);
          const normal = syntax.normalize(url);
          const again = syntax.parse(normal);
          expect(syntax.normalize(again)).toBe(normal);
          expect(clientOfAllSchemes.equal(url, again)).toBe(true);
          expect(clientOfAllSchemes.equal(url, clientOfAllSchemes.format(url))).toBe(!isChangedByFormat(url));
          if (!isHttp(url) && !isNewsWithServer(url) && hasForm(url, syntax))
            expect(syntax.canParse(normal, { mode: "rfc1738" })).toBe(true);
        }),
        RUNS,
      );
    });

    it("is equal to itself and to every URL that is equal to it", () => {
      fc.assert(
        fc.property(texts, fc.func(fc.boolean()), texts, (text, choose, third) => {
          const url = read(text);
          const other = read(respellUrl(text, choose));
          const levels = LEVELS.filter((level) => level !== "same-plan" || planned(url, other));
          for (const level of levels) {
            expect(clientOfAllSchemes.equal(url, url, level)).toBe(true);
            expect(clientOfAllSchemes.equal(url, other, level)).toBe(
              clientOfAllSchemes.equal(other, url, level),
            );
          }
          const stranger = read(third);
          expect(clientOfAllSchemes.equal(url, stranger)).toBe(clientOfAllSchemes.equal(stranger, url));
        }),
        RUNS,
      );
    });

    it("is equivalent to every spelling, with the same plan unless it is sent as written", () => {
      fc.assert(
        fc.property(texts, fc.func(fc.boolean()), (text, choose) => {
          const url = read(text);
          const other = read(respellUrl(text, choose));
          expect(clientOfAllSchemes.equal(url, other)).toBe(true);
          if (/^https?:/i.test(text) || url.deviations.length > 0 || !planned(url, other)) return;
          expect(clientOfAllSchemes.equal(url, other, "same-plan")).toBe(true);
        }),
        RUNS,
      );
    });

    it("sends the same bytes as its normal form and as every equivalent URL", () => {
      fc.assert(
        fc.property(texts, texts, fc.func(fc.boolean()), (text, another, choose) => {
          const url = read(text);
          const others = [
            respellUrl(text, choose),
            syntax.normalize(url),
            clientOfAllSchemes.format(url),
            another,
          ];
          for (const other of others.map(read))
            if (clientOfAllSchemes.equal(url, other)) expect(sent(url)).toEqual(sent(other));
        }),
        RUNS,
      );
    });
  },
);

/** True when both have a plan: the scheme is registered and allows all bytes. */
function planned(...urls: readonly Url[]): boolean {
  return urls.every((url) => {
    try {
      return clientOfAllSchemes.plan(url).steps.length > 0;
    } catch {
      return false;
    }
  });
}

/**
 * Returns the endpoints and bytes of a plan, or the error. The escapes in http's requests are normalized (RFC 9110
 * §4.2.3).
 */
function sent(url: Url): unknown {
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
