import { AccessError, type Plan, type Step } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import { SocketReader } from "@anyscheme/core/io";
import { WaisMessageReader } from "./apdu/wais-message.ts";
import type { WaisLimits } from "./scheme-options.ts";

/** A connection to a WAIS server that performs one request at a time. */
export interface WaisConnection {
  /**
   * Sends the request of a plan step to the WAIS server. Returns the APDU of the WAIS response. `bytes` replaces the
   * bytes of a step that depends on an earlier response. `createNoResponseError` creates the error for a server that
   * closes the connection without a response.
   */
  request(
    step: Step,
    text: string,
    bytes?: Uint8Array,
    createNoResponseError?: () => AccessError,
  ): Promise<Uint8Array>;
  close(): void;
  readonly limits: WaisLimits;
}

/** Performs the `connect` step of a WAIS plan. */
export async function connectToWaisServerWithoutInit(
  plan: Plan,
  context: AccessContext,
): Promise<WaisConnection> {
  const connect = plan.steps.find(({ action }) => action === "connect");
  if (!connect?.target) throw new Error(`the plan of the scheme ${plan.url.scheme} has no step "connect"`);
  context.beginStep(connect);
  const reader = new SocketReader(await context.connect(connect.target), context.limits);
  return {
    async request(step, text, bytes = step.bytes, createNoResponseError = createRequestWithoutResponseError) {
      if (!bytes) throw new Error(`the step "${step.description}" has no bytes`);
      context.beginStep(step);
      reader.socket.write(bytes);
      context.trace({ action: "send", text });
      const apdu = await readResponseApdu(reader, context);
      if (!apdu) throw createNoResponseError();
      return apdu;
    },
    close: () => reader.cancel(),
    limits: context.limits,
  };
}

function createRequestWithoutResponseError(): AccessError {
  const advice = "WAIS servers close the connection for an unknown database, type or document";
  return new AccessError("unavailable", "the server closed the connection without a response", { advice });
}

/** Returns the APDU of a response, or `undefined` if the server closes the connection without a response. */
async function readResponseApdu(
  reader: SocketReader,
  { limits }: AccessContext,
): Promise<Uint8Array | undefined> {
  const message = new WaisMessageReader(limits);
  let apdu: Uint8Array | undefined;
  const state = await reader.readChunks((bytes) => {
    apdu = message.push(bytes);
    return apdu === undefined;
  });
  if (apdu) return apdu;
  if (state === "end" && !message.hasStarted) return undefined;
  throw new AccessError("incomplete", "the server closed the connection in the middle of its response");
}
