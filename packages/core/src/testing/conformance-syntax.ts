import assert from "node:assert/strict";
import { UrlSyntaxError } from "../syntax/index.ts";
import type { ConformanceCheck, SchemeExample } from "./conformance.ts";

/** The requirements of every grammar. RFC 1738 §2. */
export const SYNTAX_CHECKS: readonly ConformanceCheck<SchemeExample>[] = [
  {
    name: "its name is lower case, and its syntax reads it",
    run({ scheme }) {
      const { name, syntax } = scheme();
      assert.match(name, /^[a-z0-9+.-]+$/);
      assert.ok(syntax.schemes.includes(name));
    },
  },
  {
    name: "strict mode reads every valid URL without a deviation, and format gives it back",
    run({ scheme, valid }) {
      const { syntax } = scheme();
      assert.ok(valid.length > 0, "there has to be a valid URL");
      for (const text of valid) {
        const url = syntax.parse(text, { mode: "strict" });
        assert.deepEqual(url.deviations, []);
        assert.equal(url.href, text);
        assert.equal(syntax.format(url), text);
        assert.ok(syntax.canParse(text));
      }
    },
  },
  {
    name: "upper case in the scheme name means the same",
    run({ scheme, valid }) {
      const { name, syntax } = scheme();
      for (const text of valid) {
        const folded = syntax.parse(name.toUpperCase() + text.slice(name.length));
        assert.equal(folded.scheme, name);
        assert.deepEqual(folded.components(), syntax.parse(text).components());
      }
    },
  },
  {
    name: "every faulty text is refused in both modes, with a code, a place, a section and a repair",
    run({ scheme, faulty }) {
      const { syntax } = scheme();
      assert.ok(faulty.length > 0, "there has to be a faulty text");
      for (const text of faulty) {
        for (const mode of ["strict", "tolerant"] as const) {
          const { fault } = syntax.tryParse(text, { mode });
          assert.ok(fault, `${text} is read in ${mode} mode`);
          assert.match(fault.code, /^[a-z]+(?:-[a-z]+)*$/);
          assert.ok(
            fault.index >= 0 && fault.index + fault.length <= text.length,
            `${text}: the place is outside`,
          );
          assert.ok(fault.section && fault.message && fault.suggestion);
          assert.throws(() => syntax.parse(text, { mode }), UrlSyntaxError);
          assert.ok(!syntax.canParse(text, { mode }));
        }
      }
    },
  },
  {
    name: "controls, blanks and the delimiters of running text are refused wherever they stand",
    run({ scheme, valid }) {
      const { syntax } = scheme();
      for (const text of valid) {
        for (const bad of ["\0", "\t", "\r", "\n", "\x7f", " ", '"', "<", ">", "\\"]) {
          for (let at = text.indexOf(":"); at <= text.length; at++) {
            const spoilt = text.slice(0, at) + bad + text.slice(at);
            assert.ok(!syntax.canParse(spoilt), JSON.stringify(spoilt));
          }
        }
      }
    },
  },
  {
    name: "a fragment is kept apart in tolerant mode, and format leaves it out",
    run({ scheme, valid }) {
      const { syntax } = scheme();
      for (const text of valid) {
        const url = syntax.parse(`${text}#part`);
        assert.equal(url.fragment, "part");
        assert.equal(syntax.format(url), text);
        assert.ok(!syntax.canParse(`${text}#part`, { mode: "strict" }));
      }
    },
  },
];
