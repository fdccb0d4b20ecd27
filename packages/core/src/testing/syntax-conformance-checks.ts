import assert from "node:assert/strict";
import { UrlSyntaxError } from "../syntax/index.ts";
import type { SchemeConformanceCheck, SchemeUnderTest } from "./conformance.ts";

/** The conformance checks that the grammar of every scheme must pass. RFC 1738 §2. */
export const SYNTAX_CONFORMANCE_CHECKS: readonly SchemeConformanceCheck<SchemeUnderTest>[] = [
  {
    name: "the scheme name is in lower case, and the syntax parses this scheme",
    run({ scheme }) {
      const { name, syntax } = scheme();
      assert.match(name, /^[a-z0-9+.-]+$/);
      assert.ok(syntax.schemes.includes(name));
    },
  },
  {
    name: "the mode rfc1738 parses every valid URL without a deviation, and format returns the same text",
    run({ scheme, valid }) {
      const { syntax } = scheme();
      assert.ok(valid.length > 0, "the scheme under test has no valid URL");
      for (const text of valid) {
        const url = syntax.parse(text, { mode: "rfc1738" });
        assert.deepEqual(url.deviations, []);
        assert.equal(url.href, text);
        assert.equal(syntax.format(url), text);
        assert.ok(syntax.canParse(text));
      }
    },
  },
  {
    name: "a scheme name in upper case is parsed as the same scheme",
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
    name: "every invalid URL is rejected in both modes, with a code, a position, a section and a suggestion",
    run({ scheme, invalid }) {
      const { syntax } = scheme();
      assert.ok(invalid.length > 0, "the scheme under test has no invalid URL");
      for (const text of invalid) {
        for (const mode of ["rfc1738", "modern"] as const) {
          const { fault } = syntax.tryParse(text, { mode });
          assert.ok(fault, `the invalid URL ${text} is accepted in ${mode} mode`);
          assert.match(fault.code, /^[a-z]+(?:-[a-z]+)*$/);
          assert.ok(
            fault.index >= 0 && fault.index + fault.length <= text.length,
            `the position of the fault is outside of the invalid URL ${text}`,
          );
          assert.ok(fault.section && fault.message && fault.suggestion);
          assert.throws(() => syntax.parse(text, { mode }), UrlSyntaxError);
          assert.ok(!syntax.canParse(text, { mode }));
        }
      }
    },
  },
  {
    name: "control characters are rejected at every position after the scheme, and blanks and delimiters in the mode rfc1738",
    run({ scheme, valid }) {
      const { syntax } = scheme();
      const controls = ["\0", "\t", "\r", "\n", "\x7f"];
      for (const text of valid) {
        for (const character of [...controls, " ", '"', "<", ">", "\\"]) {
          for (let at = text.indexOf(":"); at <= text.length; at++) {
            const changed = text.slice(0, at) + character + text.slice(at);
            assert.ok(!syntax.canParse(changed, { mode: "rfc1738" }), JSON.stringify(changed));
            // Modern mode removes white space at the end.
            if (controls.includes(character) && at < text.length)
              assert.ok(!syntax.canParse(changed), JSON.stringify(changed));
          }
        }
      }
    },
  },
  {
    name: "modern mode separates the fragment from the URL, and format omits the fragment",
    run({ scheme, valid }) {
      const { syntax } = scheme();
      for (const text of valid) {
        const url = syntax.parse(`${text}#part`);
        assert.equal(url.fragment, "part");
        assert.equal(syntax.format(url), text);
        assert.ok(!syntax.canParse(`${text}#part`, { mode: "rfc1738" }));
      }
    },
  },
];
