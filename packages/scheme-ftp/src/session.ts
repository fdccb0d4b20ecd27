import { AccessError, type AccessContext, type Plan, type Step } from "@anyscheme/core";
import { decodeText } from "@anyscheme/core/syntax";
import { Inflow } from "@anyscheme/core/wire";
import { Control } from "./control.ts";
import { encodeCommand } from "./encode.ts";
import { refusal } from "./refusal.ts";
import { passivePort, type Reply, wordsOf } from "./reply.ts";
import type { FtpUrl } from "./syntax.ts";

/** Preliminary replies in a row that a server may send before the one that is waited for. */
const MAX_PRELIMINARY = 10;

/** What a command without octets asks the caller for. RFC 959 §4.1.1. */
const ASKED = {
  "331": { verb: "PASS", wants: "password" },
  "332": { verb: "ACCT", wants: "account" },
} as const;

/** The conversation with one server: performs the steps of a plan, in their order. */
export class Session {
  readonly #plan: Plan<FtpUrl>;
  readonly #context: AccessContext;
  /** Where in the plan the transfer is. */
  readonly #transfer: number;
  #control: Control | undefined;
  #data: Promise<Inflow> | undefined;
  #last: Reply | undefined;
  #said: Step | undefined;
  #transferred = false;

  constructor(plan: Plan<FtpUrl>, context: AccessContext) {
    this.#plan = plan;
    this.#context = context;
    this.#transfer = plan.steps.findIndex(({ action }) => action === "transfer");
  }

  /** The command sent last, as in `RETR`. */
  get command(): string {
    return this.#said?.text.slice(0, 4) ?? "";
  }

  /** Performs the plan up to the transfer. Gives the data connection, whose end proves nothing. */
  async begin(): Promise<Inflow> {
    for (const step of this.#plan.steps.slice(0, this.#transfer + 1)) await this.#consider(step);
    if (!this.#data) throw new Error("the plan opens no data connection");
    return this.#data;
  }

  /** Performs what comes after the transfer. Throws `incomplete` unless the server confirms that it was complete. */
  async finish(): Promise<void> {
    this.#transferred = true;
    for (const step of this.#plan.steps.slice(this.#transfer + 1)) await this.#consider(step);
  }

  close(): void {
    this.#control?.close();
  }

  /** Performs a step, unless it depends on another reply than the one that came last. */
  async #consider(step: Step): Promise<void> {
    if (step.when !== undefined && !this.#last?.code.startsWith(step.when)) return;
    this.#context.enter(step);
    if (step.action === "connect") await this.#connect(step);
    else if (step.action === "send") await this.#send(step);
    else if (step.action === "expect") await this.#expect(step);
    else if (step.action === "close") this.close();
  }

  // "resolve" is done by the dialler as part of "connect": one look-up, checked and pinned.
  async #connect({ target }: Step): Promise<void> {
    if (!target) return this.#connectData();
    this.#control = new Control(await this.#context.dial(target), this.#context.limits);
  }

  // The next command goes out meanwhile: servers that accept only after it, and those that accept before, are both served.
  #connectData(): void {
    if (!this.#last) throw new Error("the plan connects to a port that nobody has told");
    const port = passivePort(this.#last);
    this.#data = Inflow.dial(this.#context, { peerOf: this.#speaking.socket, port });
    this.#data.catch(() => undefined);
  }

  async #send(step: Step): Promise<void> {
    const octets = step.octets ?? (await this.#ask(step));
    this.#checkTurn();
    this.#context.trace({ action: "send", text: step.text });
    this.#speaking.send(octets);
    this.#said = step;
  }

  /** RFC 1738 §3.2.1: "the program interpreting the FTP URL should request one from the user". */
  async #ask({ when }: Step): Promise<Uint8Array> {
    const { url } = this.#plan;
    const { verb, wants } = ASKED[when === "332" ? "332" : "331"];
    const user = url.user === undefined ? undefined : decodeText(url.user);
    const question = { scheme: url.scheme, host: url.host, port: url.effectivePort, user, wants };
    const answer = await this.#context.credentials(question);
    if (!answer) {
      const advice = `give the client an option credentials that knows the ${wants}`;
      throw new AccessError("needs-credentials", `the server asks for the ${wants}`, { advice });
    }
    const argument = new TextEncoder().encode(answer.password);
    return encodeCommand({ verb, argument, what: wants }, {});
  }

  async #expect({ accept = [] }: Step): Promise<void> {
    for (let count = 0; count <= MAX_PRELIMINARY; count++) {
      const reply = await this.#hear();
      if (accept.some((code) => reply.code.startsWith(code))) {
        this.#last = reply;
        return;
      }
      if (!reply.code.startsWith("1")) throw this.#refused(reply);
    }
    throw new AccessError("protocol", `the server sent more than ${MAX_PRELIMINARY} preliminary replies`);
  }

  /** The next reply, unless the data connection that it waits for cannot be opened. */
  async #hear(): Promise<Reply> {
    const reply = this.#speaking.reply(this.#transferred ? "idleTimeoutMs" : "firstByteTimeoutMs");
    const heard = await (this.#data ? Promise.race([reply, this.#data.then(() => reply)]) : reply);
    this.#context.trace({ action: "receive", text: wordsOf(heard) });
    return heard;
  }

  get #speaking(): Control {
    if (!this.#control) throw new Error("the plan speaks before it connects");
    return this.#control;
  }

  #refused(reply: Reply): AccessError {
    const { what, code, advice } = refusal(reply, {
      said: this.#said?.text,
      anonymous: this.#plan.url.user === undefined,
    });
    return new AccessError(this.#transferred ? "incomplete" : code, what, { advice });
  }

  // Servers take leave without being asked; whatever else comes out of turn would be taken for the answer to what we say next.
  // What comes after the transfer was confirmed changes nothing any more.
  #checkTurn(): void {
    const reply = this.#transferred ? undefined : this.#speaking.unasked();
    if (!reply) return;
    this.#context.trace({ action: "receive", text: wordsOf(reply) });
    if (reply.code.startsWith("4")) throw this.#refused(reply);
    throw new AccessError("protocol", `the server sent a reply out of turn: ${wordsOf(reply)}`);
  }
}
