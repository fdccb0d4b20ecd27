import { AccessError, type Limits, type Plan, type Step } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import { SocketReader } from "@anyscheme/core/io";
import { MessageReader } from "./apdu/message.ts";

/** Requests and answers on one connection, strictly in turn. */
export interface WaisSession {
  /** Performs a step of the plan; `bytes` where they depend on an answer. Resolves to the APDU of the answer. */
  request(step: Step, text: string, bytes?: Uint8Array): Promise<Uint8Array>;
  close(): void;
  readonly limits: Limits;
}

/** Connects as the plan says. */
export async function openSession(plan: Plan, context: AccessContext): Promise<WaisSession> {
  const connect = plan.steps.find(({ action }) => action === "connect");
  if (!connect?.target) throw new Error(`the plan of ${plan.url.scheme} has no "connect"`);
  context.beginStep(connect);
  const inflow = await SocketReader.connect(context, connect.target);
  return {
    async request(step, text, bytes = step.bytes) {
      if (!bytes) throw new Error(`the step "${step.description}" has no bytes`);
      context.beginStep(step);
      inflow.socket.write(bytes);
      context.trace({ action: "send", text });
      return readResponse(inflow, context);
    },
    close: () => inflow.cancel(),
    limits: context.limits,
  };
}

async function readResponse(inflow: SocketReader, { limits }: AccessContext): Promise<Uint8Array> {
  const reader = new MessageReader(limits);
  let apdu: Uint8Array | undefined;
  const state = await inflow.read((bytes) => {
    apdu = reader.push(bytes);
    return apdu === undefined;
  });
  if (apdu) return apdu;
  if (state === "end" && !reader.hasStarted) {
    const advice = "WAIS servers do so when they know no such database, type or document";
    throw new AccessError("unavailable", "the server hung up without an answer", { advice });
  }
  throw new AccessError("incomplete", "the server hung up in the middle of its answer");
}
