import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  createResolveAndConnectSteps,
  createExpectReplyStep,
  rejectControlBytes,
  createPlan,
  createTlsStep,
  createSendStep,
  createStep,
} from "../../src/scheme/plan.ts";
import { createGenericSyntax } from "../../src/syntax/index.ts";
import { catchAccessError } from "../catch-access-error.ts";

const syntax = createGenericSyntax({ schemes: ["x-echo"], defaultPort: 7 });

describe("the steps of a plan", () => {
  it("a step encodes its bytes on first use, once", () => {
    let count = 0;
    const step = createSendStep(() => Uint8Array.of(++count), "2", "the command");
    expect(count).toBe(0);
    expect([step.bytes, step.bytes]).toEqual([Uint8Array.of(1), Uint8Array.of(1)]);
  });

  it("a plan omits the steps that are undefined", () => {
    const close = createStep("close", "2", "ends");
    expect(createPlan(syntax.parse("x-echo://h/"), [undefined, close]).steps).toEqual([close]);
  });

  it("steps of a plan are plain data that JSON can represent", () => {
    expect(
      JSON.parse(
        JSON.stringify(createSendStep(Buffer.from("RETR \xe9\r\n", "latin1"), "RFC 959 4.1.3", "RETR é")),
      ),
    ).toEqual({
      action: "send",
      spec: "RFC 959 4.1.3",
      description: "RETR é",
      bytes: "RETR \xe9\r\n",
    });
    expect(
      createSendStep(undefined, "2", "the reply that the caller returns", { onReply: "332" }),
    ).toMatchObject({
      onReply: "332",
    });
    expect(createExpectReplyStep(["150", "125"], "2", "about to send", "2")).toMatchObject({
      action: "expect",
      expectReplies: ["150", "125"],
      onReply: "2",
    });
    expect(createStep("transfer", "2", "the file")).toMatchObject({
      action: "transfer",
      spec: "2",
      description: "the file",
    });
    expect(createStep("close", "2", "ends")).not.toHaveProperty("onReply");
  });

  it("the bytes of a secret step appear neither in JSON nor in inspection", () => {
    const secret = createSendStep(Buffer.from("PASS needle\r\n"), "2", "PASS ****", { secret: true });
    expect(Buffer.from(secret.bytes ?? []).toString()).toBe("PASS needle\r\n");
    const plan = createPlan(syntax.parse("x-echo://u:needle@h/"), [secret]);
    const shown = [
      JSON.stringify(plan),
      inspect(plan, { showHidden: true, depth: Infinity }),
      inspect(secret, { showHidden: true, customInspect: false }),
      JSON.stringify({ ...secret }),
    ];
    for (const one of shown) {
      expect(one).not.toContain("needle");
      expect(one).not.toContain(Buffer.from("needle").toString("hex").slice(0, 8));
    }
    expect(JSON.parse(JSON.stringify(secret))).toEqual({
      action: "send",
      spec: "2",
      description: "PASS ****",
    });
  });

  it("a plan and its steps are frozen", () => {
    const plan = createPlan(syntax.parse("x-echo://h/"), [createExpectReplyStep(["2"], "2", "a greeting")], {
      phase: 1,
    });
    expect(plan.phase).toBe(1);
    for (const one of [plan, plan.steps, plan.steps[0], plan.steps[0]?.expectReplies])
      expect(Object.isFrozen(one)).toBe(true);
  });

  it("JSON and inspection of a plan omit the fields that the scheme has added", () => {
    const url = syntax.parse("x-echo://h/");
    const greeting = createExpectReplyStep(["2"], "2", "a greeting");
    const plan = createPlan(url, [greeting], { phases: { greeting } });
    expect(plan.phases.greeting).toBe(greeting);
    expect(JSON.stringify(plan)).toBe(JSON.stringify({ url, steps: [greeting] }));
    expect(inspect(plan)).toBe(inspect({ url, steps: [greeting] }));
  });
});

describe("createResolveAndConnectSteps and createTlsStep", () => {
  it.each([
    ["x-echo://H.Example/", ["resolve h.example", "connect H.Example port 7"], "h.example", 7],
    ["x-echo://127.0.0.1:0080/", ["connect 127.0.0.1 port 80"], "127.0.0.1", 80],
  ])(
    "createResolveAndConnectSteps and createTlsStep name the host and port of %s",
    (text, steps, host, port) => {
      const url = syntax.parse(text);
      expect(createResolveAndConnectSteps(url).map((one) => `${one.action} ${one.description}`)).toEqual(
        steps,
      );
      for (const one of [...createResolveAndConnectSteps(url), createTlsStep(url, "RFC 8446")])
        expect(one.target).toEqual({ host, port });
    },
  );
});

it("createResolveAndConnectSteps rejects a URL without a host", async () => {
  expect(
    (await catchAccessError(() => createResolveAndConnectSteps(syntax.parse("x-echo:opaque")))).code,
  ).toBe("unsupported");
});

describe("rejectControlBytes", () => {
  it("rejectControlBytes does not suggest allowControlCharacters when the option has no effect", async () => {
    const error = await catchAccessError(() => rejectControlBytes(Uint8Array.of(1), "password"));
    expect(error).toMatchObject({ code: "refused-characters" });
    expect(error.advice).not.toContain("allowControlCharacters");
  });

  it.each(["password", "pass phrase", "PIN"])(
    "the error for a secret argument with the name %s does not contain its byte",
    async (name) => {
      const error = await catchAccessError(() =>
        rejectControlBytes(Uint8Array.of(7), { name, isSecret: true }, {}),
      );
      expect(error.reason).toBe(`the ${name} contains a control byte`);
    },
  );

  it("rejectControlBytes always rejects NUL, CR and LF, and other control bytes unless they are allowed", async () => {
    for (let byte = 0; byte < 256; byte++) {
      const bytes = Uint8Array.of(0x41, byte, 0x42);
      const delimiter = byte === 0 || byte === 10 || byte === 13;
      const control = byte < 0x20 || byte === 0x7f;
      for (const allowControlCharacters of [undefined, false, true]) {
        const attempt = (): Uint8Array => rejectControlBytes(bytes, "name", { allowControlCharacters });
        if (delimiter || (control && allowControlCharacters !== true)) {
          const error = await catchAccessError(attempt);
          const escape = `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
          expect(error).toMatchObject({
            code: "refused-characters",
            reason: `the name contains the control byte ${escape}`,
          });
          expect(error.advice?.includes("allowControlCharacters")).toBe(!delimiter);
        } else {
          expect(attempt()).toBe(bytes);
        }
      }
    }
  });
});
