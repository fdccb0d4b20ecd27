import { type Mode, type ParseResult, type Syntax, UrlSyntaxError } from "@anyscheme/core/syntax";
import * as fc from "fast-check";
import { urlTexts } from "../../fixtures/arbitrary-urls.ts";
import { syntaxes } from "../../fixtures/syntaxes.ts";
import { hold } from "../decoder.ts";
import { type AnyTarget, target } from "../target.ts";

/** Delimiters of URLs, and characters that URLs must not contain. */
const SCRAPS = [
  ...Array.from("/:@?#;=&%[]()<>\"\\^`{|}~+-_.*!$',0aZ\t\r\n \0\x7f\x80"),
  ..."// :// %00 %0d%0A %2F %2f %25 %c3%a9 %zz % .. ; ;type=a ;type= :0 :65536 :00080 @@ é \u00a0 \u200b \u2024 \ufeff \uff0f".split(
    " ",
  ),
  ..."\ud800 \udfff 😀 ftp: URL: <URL: > [::1] [::ffff:127.0.0.1] 127.1 0x7f.1 ①.0.0.1 ＠ localhost".split(
    " ",
  ),
];

const change = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 3 }),
  insert: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("", ...SCRAPS) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...SCRAPS), fc.nat({ max: 200 }))
        .map(([scrap, count]) => scrap.repeat(count)),
    },
  ),
});

/** Texts that look like URLs of some schemes, with changes. */
function damaged(schemes: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(urlTexts(schemes), fc.array(change, { maxLength: 4 })).map(([text, changes]) =>
    changes.reduce((made, { at, remove, insert }) => {
      const from = at % (made.length + 1);
      return made.slice(0, from) + insert + made.slice(from + remove);
    }, text),
  );
}

const MODES: readonly Mode[] = ["strict", "tolerant"];

/** Checks that a parser throws only its own errors. A formatted URL must parse to the same URL. */
export const urls: readonly AnyTarget[] = syntaxes.map((syntax) => {
  const scheme = syntax.schemes[0] ?? "x-any";
  return target<string>({
    name: `URLs: ${syntax.schemes.join(", ") || "generic"}`,
    inputs: damaged(syntax.schemes),
    ofSize: (piece, size) => `${scheme}:${piece.repeat(Math.ceil(size / piece.length))}`,
    check(text) {
      for (const mode of MODES) checkReading(syntax, text, mode);
    },
    run(text) {
      for (const mode of MODES) {
        const { url, fault } = syntax.tryParse(text, { mode, maxLength: Infinity });
        if (url) syntax.format(url);
        else void fault?.message;
      }
    },
  });
});

function checkReading(syntax: Syntax, text: string, mode: Mode): void {
  const result = syntax.tryParse(text, { mode });
  hold(syntax.canParse(text, { mode }) === (result.url !== undefined), "canParse is of another opinion");
  checkThrown(syntax, text, mode, result);
  const { url, fault } = result;
  const found = url ? url.deviations : [fault];
  for (const one of found) {
    hold(one !== undefined, "there is neither a URL nor a fault");
    hold(
      one.index >= 0 && one.length >= 0 && one.index + one.length <= text.length,
      `${one.code} is outside the text`,
    );
  }
  if (!url) return;
  if (mode === "strict") hold(url.deviations.length === 0, "the strict mode accepts a deviation");
  const formatted = syntax.format(url);
  // A conforming URL remains unchanged, except for a "?" in its login, where later standards find another host.
  const stays = url.deviations.length === 0 && url.alternativeHosts.length === 0;
  hold(formatted === text || !stays, `it conforms, and is written ${formatted}`);
  const again = syntax.parse(formatted);
  hold(syntax.format(again) === formatted, `${formatted} is written in another way the second time`);
  hold(url.href === text || url.deviations.length > 0, "its text is another");
}

function checkThrown(syntax: Syntax, text: string, mode: Mode, { url, fault }: ParseResult): void {
  try {
    syntax.parse(text, { mode });
    hold(url !== undefined, "parse gives a URL, and tryParse does not");
  } catch (error) {
    if (!(error instanceof UrlSyntaxError)) throw error;
    hold(
      error.code === fault?.code && error.index === fault.index,
      "parse and tryParse find different faults",
    );
  }
}
