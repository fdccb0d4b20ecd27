import { type LoopbackServer, type Peer, type Script, startScriptedServer } from "@anyscheme/core/testing";
import type { Plan, Step, TraceEvent } from "@anyscheme/core";

/** What a scripted server answers to a command: text, or something it does. `undefined` in `answers` means silence. */
export type Answer = string | ((peer: Peer, line: string) => Promise<void> | void) | undefined;

export interface FtpScript {
  /** Default `220 ready`. */
  readonly greeting?: Answer;
  /** By verb; replaces the usual answer. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** What the data connection does. Default: sends `hello`. */
  readonly data?: Script;
  /** What follows the data. Default `226 done`. */
  readonly end?: Answer;
}

export interface FtpServer extends AsyncDisposable {
  readonly port: number;
  readonly control: LoopbackServer;
  readonly data: LoopbackServer;
}

const USUAL: Readonly<Record<string, string>> = {
  USER: "331 password, please\r\n",
  PASS: "230 welcome\r\n",
  ACCT: "230 welcome\r\n",
  CWD: "250 changed\r\n",
  MLSD: "502 not implemented\r\n",
  PWD: '257 "/home" is current\r\n',
  SIZE: "550 not told\r\n",
  TYPE: "200 type set\r\n",
  QUIT: "221 bye\r\n",
};

/** Keeps silent until the client ends. */
export async function gone(peer: Peer): Promise<void> {
  while ((await peer.line()) !== undefined);
}

/** Starts an FTP server on loopback that answers as usual, but for what the script says. */
export async function startFtpServer(script: FtpScript = {}): Promise<FtpServer> {
  let dataDone = (): void => undefined;
  const transferred = new Promise<void>((resolve) => {
    dataDone = resolve;
  });
  const data = await startScriptedServer(async (peer, count) => {
    await (script.data ?? ((client: Peer) => client.send("hello")))(peer, count);
    dataDone();
  });
  const say = async (peer: Peer, answer: Answer, line: string): Promise<void> => {
    if (typeof answer === "function") await answer(peer, line);
    else if (answer !== undefined) peer.send(answer);
  };
  const transfer = async (peer: Peer, line: string): Promise<void> => {
    peer.send("150 here it comes\r\n");
    await Promise.race([transferred, gone(peer)]);
    await say(peer, "end" in script ? script.end : "226 done\r\n", line);
  };
  const answers: Record<string, Answer> = {
    ...USUAL,
    EPSV: `229 extended passive (|||${data.port}|)\r\n`,
    RETR: transfer,
    LIST: transfer,
    NLST: transfer,
    ...script.answers,
  };
  const control = await startScriptedServer(async (peer) => {
    await say(peer, "greeting" in script ? script.greeting : "220 ready\r\n", "");
    for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
      await say(peer, answers[line.split(" ")[0] ?? ""], line);
    }
  });
  return {
    port: control.port,
    control,
    data,
    async [Symbol.asyncDispose]() {
      await control.stop();
      await data.stop();
    },
  };
}

/** The bytes of a plan's `send` steps: those that depend on nothing, and those of the branches that are taken. */
export function spoken(plan: Plan, ...taken: string[]): string {
  const steps = plan.steps.filter(
    ({ action, onReply: when }) => action === "send" && (when === undefined || taken.includes(when)),
  );
  return Buffer.concat(steps.map(({ bytes }) => bytes ?? new Uint8Array(0))).toString("latin1");
}

/** Collects the steps that are performed by sending something. */
export class OperationResult {
  readonly steps: (Step | undefined)[] = [];
  readonly transcript = ({ action, step }: TraceEvent): void => {
    if (action === "send") this.steps.push(step);
  };

  /** The bytes of these steps, if all of them are steps of the plan, in its order. */
  bytesIn(plan: Plan): string {
    const planned = plan.steps.filter((step) => this.steps.includes(step));
    if (planned.length !== this.steps.length || planned.some((step, index) => step !== this.steps[index]))
      return "not what was planned";
    return Buffer.concat(planned.map(({ bytes }) => bytes ?? new Uint8Array(0))).toString("latin1");
  }
}
