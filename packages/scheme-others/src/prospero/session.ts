import type { Step } from "@anyscheme/core";
import type { AccessContext, ByteSource } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { ArdpClient } from "./ardp/client.ts";
import { type ObjectReply, parseObjectReply } from "./object/object-reply.ts";
import type { InfoPlan } from "./plan.ts";
import type { ObjectLocation } from "./protocol/reply-line.ts";
import { ReplyReader, summarize } from "./protocol/reply-reader.ts";
import { bytesToLatin1 } from "./protocol/text.ts";

/** The server of a plan, and the steps that are performed there. */
export class ProsperoSession {
  readonly #context: AccessContext<unknown>;
  readonly #server: ArdpClient;

  private constructor(context: AccessContext<unknown>, server: ArdpClient) {
    this.#context = context;
    this.#server = server;
  }

  /** Performs the beginning of a plan, up to what its server says of the object. */
  static async start(
    plan: InfoPlan,
    context: AccessContext<unknown>,
  ): Promise<{ session: ProsperoSession; answer: ObjectReply }> {
    const { connect, info } = plan;
    context.beginStep(connect);
    const target = connect.target ?? { host: plan.url.effectiveHost, port: plan.url.effectivePort };
    const session = new ProsperoSession(context, await ArdpClient.open(context, target));
    const lines = await new ReplyReader(session.send(info), context.limits).readAll();
    context.trace({ action: "receive", text: summarize(lines) });
    return { session, answer: parseObjectReply(lines) };
  }

  /** Performs a `send` step; its reply comes as it is read. */
  send(step: Step): ByteSource {
    this.#context.beginStep(step);
    this.#context.trace({ action: "send", text: step.description });
    return this.#server.request(step.bytes ?? new Uint8Array(0));
  }
}

/** Where the object of a plan is, for access methods that leave it to be understood. */
export function requestedLocation({ url }: InfoPlan): ObjectLocation {
  const hsoname = bytesToLatin1(percentDecode(url.hsoname));
  return {
    hostType: "INTERNET-D",
    host: url.effectiveHost,
    port: url.effectivePort,
    nameType: "ASCII",
    hsoname,
  };
}
