import assert from "node:assert/strict";
import { inspect } from "node:util";
import { AccessError } from "../errors/access-error.ts";
import { mergeDefaultLimitsOfSchemes } from "../policy/limits.ts";
import type { Plan } from "../scheme/plan.ts";
import type { Scheme } from "../scheme/scheme.ts";
import type { SchemeConformanceCheck, SchemeUnderTest } from "./conformance.ts";
import { NAME_LOOKUP_RESOURCES, SOCKET_RESOURCES, watchNetworkUse } from "./watch-network-use.ts";

/** The password that the suite puts into URLs, and that no text may show. */
export const SECRET_TO_FIND = "n33dle-pa55word";

/** Fails when a text form of a value shows the password of the suite. */
export function assertSecretIsAbsent(value: unknown): void {
  const everything = { depth: Infinity, showHidden: true, compact: false };
  const stack = value instanceof Error ? (value.stack ?? "") : "";
  for (const shown of [String(value), JSON.stringify(value) ?? "", inspect(value, everything), stack])
    assert.ok(!shown.includes(SECRET_TO_FIND), `the password is visible: ${shown}`);
}

/**
 * Fails for an error that the scheme threw and that is not an `AccessError`. The client converts an error of a scheme
 * that is no `AccessError` to an `AccessError` with the code `plugin`.
 */
export function assertErrorCodeIsNotPlugin(outcome: unknown): void {
  if (outcome instanceof AccessError) assert.notEqual(outcome.code, "plugin", outcome.message);
}

/** The conformance checks that the plans of every scheme must pass. */
export const PLAN_CONFORMANCE_CHECKS: readonly SchemeConformanceCheck<SchemeUnderTest>[] = [
  {
    name: "every valid URL has a plan or an AccessError, and each step has a section and a description",
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
    name: "a password appears in no text of the URL, the plan or an error of plan",
    run({ scheme, valid }) {
      for (const text of valid) {
        const url = scheme().syntax.tryParse(text.replace("://", `://user:${SECRET_TO_FIND}@`)).url;
        if (!url) continue;
        assertSecretIsAbsent(url);
        assertSecretIsAbsent(runPlan(scheme(), url.href));
      }
    },
  },
  {
    name: "no plan sends an encoded ESC, TAB, BEL or DEL as a byte without the option allowControlCharacters",
    run({ scheme, valid }) {
      for (const escape of ["%1B", "%09", "%07", "%7F"]) {
        // A grammar may have a control byte as a delimiter, as Gopher has TAB.
        if (valid.some((text) => text.toUpperCase().includes(escape))) continue;
        const control = Buffer.from(escape.slice(1), "hex").toString("latin1");
        for (const text of valid) {
          const url = scheme().syntax.tryParse(`${text}${escape}INJECTED`).url;
          const plan = url && planExample(scheme(), url.href);
          for (const { bytes, description } of plan?.steps ?? [])
            assert.ok(
              !Buffer.from(bytes ?? [])
                .toString("latin1")
                .includes(`${control}INJECTED`),
              `the step "${description}" sends the control byte ${escape}`,
            );
        }
      }
    },
  },
  {
    name: "plan opens no socket and looks up no name",
    run({ scheme, valid }) {
      for (const text of valid) {
        using watch = watchNetworkUse([...SOCKET_RESOURCES, ...NAME_LOOKUP_RESOURCES]);
        planExample(scheme(), text);
        assert.deepEqual(watch.created, [], `the plan of ${text} uses the network`);
      }
    },
  },
];

/** Returns the scheme's plan for a URL, or `undefined` when the scheme throws an `AccessError`. */
function planExample(scheme: Scheme, text: string): Plan | undefined {
  const outcome = runPlan(scheme, text);
  return outcome instanceof AccessError ? undefined : outcome;
}

/** Returns the scheme's plan for a URL, or the `AccessError` that the scheme throws. */
function runPlan(scheme: Scheme, text: string): Plan | AccessError {
  try {
    return scheme.plan(scheme.syntax.parse(text), {}, mergeDefaultLimitsOfSchemes([scheme]));
  } catch (error) {
    assert.ok(
      error instanceof AccessError,
      `plan throws an error that is not an AccessError: ${String(error)}`,
    );
    assertErrorCodeIsNotPlugin(error);
    return error;
  }
}
