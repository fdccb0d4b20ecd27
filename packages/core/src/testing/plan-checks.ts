import assert from "node:assert/strict";
import { inspect } from "node:util";
import { AccessError } from "../errors/access-error.ts";
import type { Plan } from "../scheme/plan.ts";
import type { Scheme } from "../scheme/scheme.ts";
import type { ConformanceCheck, SchemeExample } from "./conformance.ts";

const SECRET_TO_FIND = "n33dle-pa55word";

/** The requirements of every plan. */
export const PLAN_CONFORMANCE_CHECKS: readonly ConformanceCheck<SchemeExample>[] = [
  {
    name: "every valid URL has a plan or an AccessError, and each step has an action, a section and a description",
    run({ scheme, valid }) {
      for (const text of valid) {
        const plan = planExample(scheme(), text);
        if (!plan) continue;
        assert.ok(plan.steps.length > 0);
        const first = plan.steps.find(({ action }) => action === "connect");
        assert.ok(!first || first.target, "the first connect step has no target");
        for (const { action, spec: section, description: words, bytes, onReply: when } of plan.steps) {
          assert.ok(section && words, `the step ${action} has no section or no description`);
          if (action === "send")
            assert.ok(bytes || when, `the step "${words}" has neither bytes nor onReply`);
        }
      }
    },
  },
  {
    name: "planning the same URL twice creates the same plan",
    run({ scheme, valid }) {
      for (const text of valid) {
        assert.deepEqual(
          JSON.stringify(planExample(scheme(), text)?.steps),
          JSON.stringify(planExample(scheme(), text)?.steps),
        );
      }
    },
  },
  {
    name: "no plan sends an encoded CR, LF or NUL as a byte",
    run({ scheme, valid }) {
      for (const text of valid) {
        for (const injected of ["%0D%0AINJECTED", "%0AINJECTED", "%0DINJECTED", "%00INJECTED"]) {
          const url = scheme().syntax.tryParse(text + injected).url;
          const plan = url && planExample(scheme(), url.href);
          const sent = plan?.steps.map(({ bytes }) => Buffer.from(bytes ?? []).toString("latin1")) ?? [];
          for (const bytes of sent) assert.doesNotMatch(bytes, /[\r\n\0]INJECTED/);
        }
      }
    },
  },
  {
    name: "a password appears in no text of the URL or the plan",
    run({ scheme, valid }) {
      for (const text of valid) {
        const url = scheme().syntax.tryParse(text.replace("://", `://user:${SECRET_TO_FIND}@`)).url;
        if (!url) continue;
        const plan = planExample(scheme(), url.href);
        const everything = { depth: Infinity, showHidden: true, compact: false };
        for (const shown of [String(url), JSON.stringify([url, plan]), inspect([url, plan], everything)]) {
          assert.ok(!shown.includes(SECRET_TO_FIND), shown);
        }
      }
    },
  },
];

/** Returns the plan, or `undefined` when the scheme throws a typed error. */
function planExample(scheme: Scheme, text: string): Plan | undefined {
  try {
    return scheme.plan(scheme.syntax.parse(text), {});
  } catch (error) {
    assert.ok(
      error instanceof AccessError,
      `plan throws an error that is not an AccessError: ${String(error)}`,
    );
    return undefined;
  }
}
