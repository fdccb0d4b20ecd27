import { describe, expect, it } from "vitest";
import {
  createResolveAndConnectSteps,
  createPlan,
  createTlsStep,
  createSendStep,
  createStep,
  type Plan,
  type Step,
} from "../../src/scheme/plan.ts";
import { connectTo } from "../../src/network/connect.ts";
import { startTls } from "../../src/network/start-tls.ts";
import type { AccessContext, TraceEventInit } from "../../src/scheme/context.ts";
import { createGenericSyntax } from "../../src/syntax/index.ts";
import { getPlannedBytes, startScriptedServer } from "../../src/testing/index.ts";
import { connectAndSendRequest } from "../../src/io/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnectionContext } from "../network/recording-connection-context.ts";

const syntax = createGenericSyntax();

function createEchoContext(entered: Step[], traced: TraceEventInit[]): AccessContext {
  const connectionContext = createRecordingConnectionContext();
  const context: Partial<AccessContext> = {
    limits: connectionContext.limits as AccessContext["limits"],
    signal: new AbortController().signal,
    connect: (target) => connectTo(connectionContext, target),
    startTls: (socket, host, options) => startTls(connectionContext, socket, host, options),
    beginStep: (one) => entered.push(one),
    trace: (event) => traced.push(event),
  };
  return context as AccessContext;
}

function createEchoPlan(port: number, steps: readonly Step[], secured = false): Plan {
  const url = syntax.parse(`x-echo://127.0.0.1:${port}/`);
  return createPlan(url, [
    ...createResolveAndConnectSteps(url),
    ...(secured ? [createTlsStep(url, "RFC 8446")] : []),
    ...steps,
  ]);
}

describe("connectAndSendRequest executes a plan", () => {
  it("connectAndSendRequest sends exactly the bytes of the plan", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send(`${await peer.readLine()}!`);
    });
    const plan = createEchoPlan(server.port, [
      createSendStep(Buffer.from("one\r\n"), "2", "one"),
      createSendStep(Buffer.from([0xff, 0x0d, 0x0a]), "2", "the byte 255"),
      createStep("transfer", "2", "the answer"),
      createStep("close", "2", "closes"),
    ]);
    const [entered, traced]: [Step[], TraceEventInit[]] = [[], []];
    const reader = await connectAndSendRequest(plan, createEchoContext(entered, traced));
    let answer = "";
    while (
      (await reader.readChunks((bytes) => (answer += Buffer.from(bytes).toString("latin1")) !== "")) !== "end"
    );
    expect(answer).toBe("\xff!");
    expect(server.connections[0]?.received).toEqual(getPlannedBytes(plan));
    expect(entered).toEqual(plan.steps.slice(0, -1));
    expect(traced).toEqual([
      { action: "send", text: "one" },
      { action: "send", text: "the byte 255" },
    ]);
    reader.cancel();
  });

  it("connectAndSendRequest sends nothing in clear text when TLS cannot start", async () => {
    await using server = await startScriptedServer((peer) => peer.send("220 no TLS here\r\n"));
    const plan = createEchoPlan(
      server.port,
      [createSendStep(Buffer.from("needle\r\n"), "2", "a secret")],
      true,
    );
    expect((await catchAccessError(connectAndSendRequest(plan, createEchoContext([], [])))).code).toBe(
      "unavailable",
    );
    await server.connections[0]?.closed;
    expect(server.connections[0]?.received.toString("latin1")).not.toContain("needle");
  });

  it("connectAndSendRequest rejects a plan without a connect step", async () => {
    const plan = createPlan(syntax.parse("x-echo:"), [createStep("transfer", "2", "nothing")]);
    await expect(connectAndSendRequest(plan, createEchoContext([], []))).rejects.toThrow('no step "connect"');
  });
});
