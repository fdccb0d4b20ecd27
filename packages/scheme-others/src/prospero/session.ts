import type { Step } from "@anyscheme/core";
import { type AccessContext, type ByteSource, bytesToLatin1 } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { ArdpClient } from "./ardp/client.ts";
import { type ObjectReply, parseObjectReply } from "./object/object-reply.ts";
import type { ObjectInfoPlan } from "./plan.ts";
import type { ObjectLocation } from "./protocol/reply-line.ts";
import { ReplyReader, summarize } from "./protocol/reply-reader.ts";

/** Performs steps of a plan on its server. */
export class ProsperoSession {
  readonly #context: AccessContext<unknown>;
  readonly #client: ArdpClient;

  private constructor(context: AccessContext<unknown>, client: ArdpClient) {
    this.#context = context;
    this.#client = client;
  }

  /** Performs the plan up to the server's description of the object. */
  static async start(
    plan: ObjectInfoPlan,
    context: AccessContext<unknown>,
  ): Promise<{ session: ProsperoSession; reply: ObjectReply }> {
    const { connect, info } = plan;
    context.beginStep(connect);
    const target = connect.target ?? { host: plan.url.effectiveHost, port: plan.url.effectivePort };
    const session = new ProsperoSession(context, await ArdpClient.open(context, target));
    const lines = await new ReplyReader(session.send(info), context.limits).readAll();
    context.trace({ action: "receive", text: summarize(lines) });
    return { session, reply: parseObjectReply(lines) };
  }

  /** Performs a `send` step. Returns its reply, which is received when the caller reads. */
  send(step: Step): ByteSource {
    this.#context.beginStep(step);
    this.#context.trace({ action: "send", text: step.description });
    return this.#client.request(step.bytes ?? new Uint8Array(0));
  }
}

/** Returns the location of the requested object. An access method may omit parts of this location. */
export function requestedLocation({ url }: ObjectInfoPlan): ObjectLocation {
  const hsoname = bytesToLatin1(percentDecode(url.hsoname));
  return {
    hostType: "INTERNET-D",
    host: url.effectiveHost,
    port: url.effectivePort,
    nameType: "ASCII",
    hsoname,
  };
}
