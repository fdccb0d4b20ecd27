import { AccessError, type Step } from "@anyscheme/core";
import { type AccessContext, serverText } from "@anyscheme/core/plugin";
import type { SocketReader } from "@anyscheme/core/io";
import type { Connection } from "./pooled-connection.ts";
import { openData, type OpenData } from "../transfer/data-connection.ts";
import { encodeCommand } from "../plan/encode-command.ts";
import { PASV } from "../plan/common-steps.ts";
import type { Login } from "./login.ts";
import { isFailedTransfer, replyError } from "../control/reply-errors.ts";
import { replyLines, parsePassiveReply, type Reply, formatReply } from "../control/reply.ts";

/** Preliminary replies in a row that a server may send before the one that is waited for. */
const MAX_PRELIMINARY = 10;

/** Commands that a server without them is not asked for again, by the beginning of its refusal. */
const REMEMBERED: ReadonlyMap<string, string> = new Map([
  ["EPSV", "5"],
  ["MLSD", "50"],
  ["MLST", "50"],
  ["SIZE", "50"],
  ["MDTM", "50"],
  ["LIST", "50"],
]);

/** What servers answer to NOOP, and not to the end of a transfer. */
const ANSWERS_ASIDE: ReadonlySet<string> = new Set(["200", "500", "502", "503"]);

const ANY_ANSWER = ["2", "3", "4", "5"];

/** Something that was said and has no final answer yet. */
interface Said {
  readonly step: Step;
  readonly verb: string;
  /** The code of an earlier refusal; the command is not sent again. */
  readonly remembered?: string | undefined;
}

/** What one access says on a connection, and hears: performs the steps of a plan, in their order. */
export class Conversation {
  readonly connection: Connection;
  readonly context: AccessContext<unknown>;
  readonly #login: Login;
  /** The last answer to each command. */
  readonly answers: Map<string, Reply> = new Map();
  #unanswered: Said[] = [];
  #last: Reply | undefined;
  #lastSaid: Said | undefined;
  #data: OpenData | undefined;
  #heard = 0;
  #noops = 0;
  #begun = "";
  #performing: Promise<void> = Promise.resolve();
  /** Whether the transfer is over, so that a refusal means that it was not complete. */
  transferred = false;

  constructor(connection: Connection, context: AccessContext<unknown>, login: Login) {
    this.connection = connection;
    this.context = context;
    this.#login = login;
  }

  /** Replies of this access so far. */
  get heard(): number {
    return this.#heard;
  }

  get last(): Reply | undefined {
    return this.#last;
  }

  /** The command that has no final answer yet, as in `RETR`. */
  get pending(): string {
    return this.#unanswered[0]?.verb ?? "";
  }

  /** Whether the server has said that a transfer begins. */
  get hasBegun(): boolean {
    return this.#begun !== "";
  }

  /** Whether the server may have begun the transfer of this command: it has said so, or has not answered. */
  mayHaveBegun(verb: string): boolean {
    return this.#begun === verb || this.pending === verb;
  }

  /** The data connection that the plan has opened. */
  get data(): OpenData {
    if (!this.#data) throw new Error("the plan opens no data connection");
    return this.#data;
  }

  /**
   * What comes in on the data connection, once it is open. Throws the server's words where it ends the transfer before: after
   * 150, some wait for the connection and then say 425.
   */
  async opened(): Promise<SocketReader> {
    const { data } = this;
    const refused = new Promise<undefined>((resolve) => this.whenHopeless(() => resolve(undefined)));
    const inflow = await Promise.race([data.inflow, refused]);
    this.connection.control.onChange = undefined;
    if (inflow) return inflow;
    data.cancel();
    return (await this.expect([])) as never;
  }

  /** Calls back once, now or later, when the server has ended the transfer and does not confirm it. */
  whenRefused(callback: () => void): void {
    this.#when(() => this.#isRefused, callback);
  }

  /** The same, and when the control connection is lost. */
  whenHopeless(callback: () => void): void {
    this.#when(() => this.#isRefused || !this.connection.control.isOpen, callback);
  }

  #when(isTrue: () => boolean, callback: () => void): void {
    const { control } = this.connection;
    control.onChange = () => {
      if (!isTrue()) return;
      control.onChange = undefined;
      callback();
    };
    control.onChange();
  }

  get #isRefused(): boolean {
    let aside = this.#noops;
    for (const { code } of this.connection.control.waiting) {
      if (code.startsWith("1") || (ANSWERS_ASIDE.has(code) && aside-- > 0)) continue;
      return !code.startsWith("2");
    }
    return false;
  }

  /** Gives the data connection up, if there is one. */
  cancelData(): void {
    this.#data?.cancel();
  }

  /** Says something whose answer nobody waits for, and which may come before or after that to the transfer. */
  sayAside(step: Step): void {
    if (!step.bytes || !this.connection.control.isOpen) return;
    this.#noops++;
    this.context.trace({ action: "send", text: step.description });
    this.connection.control.send(step.bytes);
  }

  /** Performs steps; one that depends on another reply than the one that came last is left out. */
  perform(steps: readonly Step[]): Promise<void> {
    return (this.#performing = this.#performWhere(steps));
  }

  async #performWhere(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.onReply !== undefined && !this.#last?.code.startsWith(step.onReply)) continue;
      const done = this.#perform(step);
      if (done) await done;
    }
  }

  /** Gives the data connection up, and waits for every answer that the server still owes, whatever it is. */
  async catchUp(): Promise<void> {
    this.cancelData();
    await this.#performing.catch(() => undefined);
    this.#data = undefined;
    while (this.pending !== "") await this.expect(ANY_ANSWER);
  }

  /** Performs steps whose condition is known to be met. */
  async performBranch(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const done = this.#perform(step);
      if (done) await done;
    }
  }

  /** Sends a step's command, with these bytes where the step has none. The answer is the next reply. */
  say(step: Step, bytes: Uint8Array | undefined = step.bytes): void {
    this.#checkTurn();
    const verb = step.description.slice(0, 4).trimEnd();
    const remembered = this.connection.server.unknown.get(verb);
    this.#unanswered.push({ step, verb, remembered });
    if (remembered || !bytes) return;
    this.connection.inStep = false;
    this.context.trace({ action: "send", text: step.description });
    this.connection.control.send(bytes);
    // The data connection's TLS begins behind the command for the transfer.
    if (this.#data) this.#data.commanded();
  }

  /** The next reply that begins with one of `accept`. Throws `RefusedError`. */
  async expect(accept: readonly string[], step?: Step): Promise<Reply> {
    if (step) this.context.beginStep(step);
    for (let count = 0; count <= MAX_PRELIMINARY; count++) {
      const reply = await this.#hear();
      if (accept.some((code) => reply.code.startsWith(code)) && !isFailedTransfer(reply)) {
        this.#last = reply;
        return reply;
      }
      if (!reply.code.startsWith("1")) throw this.refused(reply);
    }
    throw new AccessError("protocol", `the server sent more than ${MAX_PRELIMINARY} preliminary replies`);
  }

  /** The error for a reply that ends the access. */
  refused(reply: Reply): AccessError {
    const said = this.#lastSaid?.step.description;
    const error = replyError(reply, { said, anonymous: this.#login.user === undefined });
    if (!this.transferred || error.isEmptyListing) return error;
    return new AccessError("incomplete", error.messageParts);
  }

  /** The next reply, unless the data connection that it waits for cannot be opened. */
  async #hear(): Promise<Reply> {
    const said = this.#unanswered[0];
    if (said?.remembered) {
      this.#unanswered.shift();
      return { code: said.remembered, text: `${said.remembered} ${said.verb} was refused before` };
    }
    const timeout = this.transferred ? "idleTimeoutMs" : "firstByteTimeoutMs";
    const reply = await this.connection.control.reply(timeout);
    this.#heard++;
    this.context.trace({ action: "receive", text: replyLines(reply) });
    if (this.#noops > 0 && ANSWERS_ASIDE.has(reply.code)) {
      this.#noops--;
      return this.#hear();
    }
    if (said) this.#note(said, reply);
    return reply;
  }

  #note(said: Said, reply: Reply): void {
    this.#lastSaid = said;
    if (reply.code.startsWith("1")) {
      this.#begun = said.verb;
      return;
    }
    this.#unanswered.shift();
    this.answers.set(said.verb, reply);
    const open = this.#noops > 0 || reply.code === "421";
    this.connection.inStep = !open && this.#unanswered.every(({ remembered }) => remembered);
    const forGood = REMEMBERED.get(said.verb);
    if (forGood !== undefined && reply.code.startsWith(forGood) && reply.code !== "501")
      this.connection.server.unknown.set(said.verb, reply.code);
  }

  /** Gives a promise only where there is something to wait for. */
  #perform(step: Step): Promise<unknown> | undefined {
    this.context.beginStep(step);
    if (step.action === "expect") return this.expect(step.expectReplies ?? []);
    if (step.action === "connect") return this.#openData();
    if (step.action !== "send") return undefined;
    const { bytes } = step;
    if (!bytes) return this.#ask(step).then((asked) => this.say(step, asked));
    this.say(step, bytes);
    return undefined;
  }

  // The next command goes out meanwhile: servers that accept only after it, and those that accept before, are both served.
  #openData(): Promise<void> | undefined {
    const { server } = this.connection;
    if (this.#last?.code.startsWith("3")) return this.#openByPasv();
    this.#dialData();
    return this.#last?.code === "227" || server.reachesExtended ? undefined : this.#tryExtended();
  }

  #dialData(): void {
    if (!this.#last) throw new Error("the plan connects to a port that nobody has told");
    this.#data = openData(this.connection, this.context, parsePassiveReply(this.#last), this.#login.host);
  }

  /**
   * Waits for the first connection to a port of EPSV before the command for the transfer goes out: where it fails, as behind a
   * firewall that reads the replies to PASV only, the server can still open another port.
   */
  async #tryExtended(): Promise<void> {
    const { server } = this.connection;
    try {
      await this.data.connected;
      server.reachesExtended = true;
    } catch (error) {
      this.cancelData();
      if (!isUnreachable(error)) throw error;
      await this.#openByPasv().catch(() => {
        throw error;
      });
      // "Network protocol not supported", RFC 2428 §3.
      server.unknown.set("EPSV", "522");
    }
  }

  async #openByPasv(): Promise<void> {
    await this.performBranch(PASV);
    this.#dialData();
    await this.data.connected;
  }

  /** RFC 1738 §3.2.1: "the program interpreting the FTP URL should request one from the user". */
  async #ask({ onReply: when }: Step): Promise<Uint8Array> {
    const wants = when === "332" ? "account" : "password";
    const argument = await this.#login.ask(wants);
    return encodeCommand({ verb: wants === "account" ? "ACCT" : "PASS", argument, what: wants }, this.#login);
  }

  // Servers take leave without being asked; whatever else comes out of turn would be taken for the answer to what we say next.
  #checkTurn(): void {
    const reply = this.#unanswered.length > 0 ? undefined : this.connection.control.unasked();
    if (!reply) return;
    this.connection.inStep = false;
    this.context.trace({ action: "receive", text: replyLines(reply) });
    if (reply.code.startsWith("4")) throw this.refused(reply);
    throw new AccessError("protocol", [
      "the server sent a reply out of turn: ",
      serverText(formatReply(reply)),
    ]);
  }
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof AccessError)) return false;
  return error.code === "unavailable" || error.limit === "connectTimeoutMs";
}
