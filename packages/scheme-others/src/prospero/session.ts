import type { Step } from "@anyscheme/core";
import type { AccessContext, ByteSource } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { ArdpServer } from "./ardp/client.ts";
import { type Answer, answerOf } from "./object/object-reply.ts";
import type { InfoPlan } from "./plan.ts";
import type { Place } from "./protocol/reply-line.ts";
import { ReplyLines, summaryOf } from "./protocol/reply-reader.ts";
import { bytesToLatin1 } from "./protocol/text.ts";

/** The server of a plan, and the steps that are performed there. */
export class Session {
  readonly #context: AccessContext<unknown>;
  readonly #server: ArdpServer;

  private constructor(context: AccessContext<unknown>, server: ArdpServer) {
    this.#context = context;
    this.#server = server;
  }

  /** Performs the beginning of a plan, up to what its server says of the object. */
  static async begin(
    plan: InfoPlan,
    context: AccessContext<unknown>,
  ): Promise<{ session: Session; answer: Answer }> {
    const { connect, info } = plan;
    context.beginStep(connect);
    const target = connect.target ?? { host: plan.url.effectiveHost, port: plan.url.effectivePort };
    const session = new Session(context, await ArdpServer.open(context, target));
    const lines = await new ReplyLines(session.ask(info), context.limits).all();
    context.trace({ action: "receive", text: summaryOf(lines) });
    return { session, answer: answerOf(lines) };
  }

  /** Performs a `send` step; its reply comes as it is read. */
  ask(step: Step): ByteSource {
    this.#context.beginStep(step);
    this.#context.trace({ action: "send", text: step.description });
    return this.#server.ask(step.bytes ?? new Uint8Array(0));
  }
}

/** Where the object of a plan is, for access methods that leave it to be understood. */
export function placeOf({ url }: InfoPlan): Place {
  const hsoname = bytesToLatin1(percentDecode(url.hsoname));
  return {
    hostType: "INTERNET-D",
    host: url.effectiveHost,
    port: url.effectivePort,
    nameType: "ASCII",
    hsoname,
  };
}
