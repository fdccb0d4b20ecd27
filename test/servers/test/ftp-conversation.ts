import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { exchange } from "./exchange.ts";

/** A control connection for one command at a time. */
export interface FtpConversation extends AsyncDisposable {
  readonly socket: Socket;
  /** Returns the next reply, with all its lines. */
  reply(): Promise<string>;
  /** Sends a command line and returns the reply to it. */
  say(command: string): Promise<string>;
  /** Opens a passive port and sends a command. Returns its replies and the data between them. */
  fetch(command: string): Promise<{ preliminary: string; data: string; last: string }>;
}

// Matches a complete reply, which ends at the line with its code and a space (RFC 959 §4.2).
const completeReply = /^(?:(\d{3})-[^]*?\r\n)?(?:\1|\d{3}) .*\r\n/;

/** Connects and reads the greeting. */
export async function converse(
  port: number,
  { host = "127.0.0.1", tls = false }: { host?: string; tls?: boolean } = {},
): Promise<FtpConversation> {
  const socket = tls ? connectTls({ host, port, rejectUnauthorized: false }) : connect({ host, port });
  let received = "";
  let ended: Error | undefined;
  let wake: () => void = () => {};
  socket.setTimeout(5000, () => socket.destroy(new Error(`silence after ${JSON.stringify(received)}`)));
  socket.on("data", (bytes) => {
    received += bytes.toString("utf8");
    wake();
  });
  socket.on("error", (error) => {
    ended = error;
  });
  socket.on("close", () => {
    ended ??= new Error("closed");
    wake();
  });

  const reply = async (): Promise<string> => {
    for (;;) {
      const [text] = completeReply.exec(received) ?? [];
      if (text !== undefined) {
        received = received.slice(text.length);
        return text.trimEnd();
      }
      if (ended !== undefined) throw ended;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const say = (command: string): Promise<string> => {
    socket.write(`${command}\r\n`);
    return reply();
  };
  const fetch: FtpConversation["fetch"] = async (command) => {
    const [, dataPort] = /\(\|\|\|(\d+)\|\)/.exec(await say("EPSV")) ?? [];
    const data = exchange(Number(dataPort), "", host);
    const preliminary = await say(command);
    if (!preliminary.startsWith("1")) return { preliminary, data: "", last: preliminary };
    return { preliminary, data: await data, last: await reply() };
  };

  await reply();
  return {
    socket,
    reply,
    say,
    fetch,
    [Symbol.asyncDispose]() {
      socket.destroy();
      return Promise.resolve();
    },
  };
}

/** Connects and logs in. */
export async function logIn(
  port: number,
  {
    user = "anonymous",
    password = "guest@",
    ...where
  }: { user?: string; password?: string; host?: string; tls?: boolean } = {},
): Promise<FtpConversation> {
  const conversation = await converse(port, where);
  await conversation.say(`USER ${user}`);
  const answer = await conversation.say(`PASS ${password}`);
  if (!answer.startsWith("230")) throw new Error(`no login: ${answer}`);
  return conversation;
}
