import {
  type LoopbackServer,
  type ScriptedPeer,
  type ServerScript,
  startScriptedServer,
} from "@anyscheme/core/testing";
import type { Plan, Step, TraceEvent } from "@anyscheme/core";

/**
 * The reply of a scripted server to a command: a text or a function that sends it. For `undefined`, the server sends no
 * reply.
 */
export type ScriptedReply = string | ((peer: ScriptedPeer, line: string) => Promise<void> | void) | undefined;

export interface FtpScript {
  /** The greeting of the server. Default `220 ready`. */
  readonly greeting?: ScriptedReply;
  /** The replies by command, which replace the default replies. */
  readonly replies?: Readonly<Record<string, ScriptedReply>>;
  /** The function that serves a data connection. Default: sends `hello`. */
  readonly serveData?: ServerScript;
  /** The final reply of the scripted server to a transfer command. Default `226 done`. */
  readonly transferEndReply?: ScriptedReply;
}

export interface ScriptedFtpServer extends AsyncDisposable {
  readonly port: number;
  readonly controlServer: LoopbackServer;
  readonly dataServer: LoopbackServer;
}

const DEFAULT_REPLIES: Readonly<Record<string, string>> = {
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

/** Waits without sending until the client closes the connection. */
export async function staySilentUntilClientCloses(peer: ScriptedPeer): Promise<void> {
  while ((await peer.readLine()) !== undefined);
}

/** Starts an FTP server on loopback. The replies of the script replace the default replies. */
export async function startScriptedFtpServer(script: FtpScript = {}): Promise<ScriptedFtpServer> {
  let endData = (): void => undefined;
  const transferred = new Promise<void>((resolve) => {
    endData = resolve;
  });
  const data = await startScriptedServer(async (peer, count) => {
    await (script.serveData ?? ((client: ScriptedPeer) => client.send("hello")))(peer, count);
    endData();
  });
  const reply = async (peer: ScriptedPeer, answer: ScriptedReply, line: string): Promise<void> => {
    if (typeof answer === "function") await answer(peer, line);
    else if (answer !== undefined) peer.send(answer);
  };
  const transfer = async (peer: ScriptedPeer, line: string): Promise<void> => {
    peer.send("150 here it comes\r\n");
    await Promise.race([transferred, staySilentUntilClientCloses(peer)]);
    await reply(peer, "transferEndReply" in script ? script.transferEndReply : "226 done\r\n", line);
  };
  const replies: Record<string, ScriptedReply> = {
    ...DEFAULT_REPLIES,
    EPSV: `229 extended passive (|||${data.port}|)\r\n`,
    RETR: transfer,
    LIST: transfer,
    NLST: transfer,
    ...script.replies,
  };
  const control = await startScriptedServer(async (peer) => {
    await reply(peer, "greeting" in script ? script.greeting : "220 ready\r\n", "");
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
      await reply(peer, replies[line.split(" ")[0] ?? ""], line);
    }
  });
  return {
    port: control.port,
    controlServer: control,
    dataServer: data,
    async [Symbol.asyncDispose]() {
      await control.stop();
      await data.stop();
    },
  };
}

/**
 * Returns the bytes of a plan's `send` steps. Includes the steps that the plan performs only after one of the reply
 * codes in `branches`.
 */
export function formatPlannedCommands(plan: Plan, ...branches: string[]): string {
  const steps = plan.steps.filter(
    ({ action, onReply: when }) => action === "send" && (when === undefined || branches.includes(when)),
  );
  return Buffer.concat(steps.map(({ bytes }) => bytes ?? new Uint8Array(0))).toString("latin1");
}

/** Records the `send` steps of a plan that the client performs. */
export class SentStepRecorder {
  readonly sentSteps: (Step | undefined)[] = [];
  readonly onTraceEvent = ({ action, step }: TraceEvent): void => {
    if (action === "send") this.sentSteps.push(step);
  };

  /** Returns the bytes of the recorded steps if the plan contains them in this order. */
  getSentBytes(plan: Plan): string {
    const planned = plan.steps.filter((step) => this.sentSteps.includes(step));
    if (
      planned.length !== this.sentSteps.length ||
      planned.some((step, index) => step !== this.sentSteps[index])
    )
      return "not what was planned";
    return Buffer.concat(planned.map(({ bytes }) => bytes ?? new Uint8Array(0))).toString("latin1");
  }
}
