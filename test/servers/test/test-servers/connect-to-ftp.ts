import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { sendAndReceiveAll } from "./send-and-receive.ts";

/** An FTP client for tests, which sends one command at a time. */
export interface FtpTestClient extends AsyncDisposable {
  readonly socket: Socket;
  /** Returns the next FTP reply with all its lines. */
  readReply(): Promise<string>;
  /** Sends an FTP command and returns the reply. */
  sendCommand(command: string): Promise<string>;
  /** Sends EPSV and an FTP transfer command. Returns the replies to the command and the transferred data. */
  transferData(command: string): Promise<{ preliminaryReply: string; data: string; finalReply: string }>;
}

// Matches a complete reply, which ends at the line with its code and a space (RFC 959 §4.2).
const completeReplyPattern = /^(?:(\d{3})-[^]*?\r\n)?(?:\1|\d{3}) .*\r\n/;

/** Connects to an FTP server and reads the greeting. */
export async function connectToFtpWithoutLogin(
  port: number,
  { host = "127.0.0.1", tls = false }: { host?: string; tls?: boolean } = {},
): Promise<FtpTestClient> {
  const socket = tls ? connectTls({ host, port, rejectUnauthorized: false }) : connect({ host, port });
  let received = "";
  let failure: Error | undefined;
  let wake: () => void = () => {};
  socket.setTimeout(5000, () => socket.destroy(new Error(`silence after ${JSON.stringify(received)}`)));
  socket.on("data", (bytes) => {
    received += bytes.toString("utf8");
    wake();
  });
  socket.on("error", (error) => {
    failure = error;
  });
  socket.on("close", () => {
    failure ??= new Error("closed");
    wake();
  });

  const readReply = async (): Promise<string> => {
    for (;;) {
      const [text] = completeReplyPattern.exec(received) ?? [];
      if (text !== undefined) {
        received = received.slice(text.length);
        return text.trimEnd();
      }
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const sendCommand = (command: string): Promise<string> => {
    socket.write(`${command}\r\n`);
    return readReply();
  };
  const transferData: FtpTestClient["transferData"] = async (command) => {
    const [, dataPort] = /\(\|\|\|(\d+)\|\)/.exec(await sendCommand("EPSV")) ?? [];
    const data = sendAndReceiveAll(Number(dataPort), "", host);
    const preliminary = await sendCommand(command);
    if (!preliminary.startsWith("1"))
      return { preliminaryReply: preliminary, data: "", finalReply: preliminary };
    return { preliminaryReply: preliminary, data: await data, finalReply: await readReply() };
  };

  await readReply();
  return {
    socket,
    readReply,
    sendCommand,
    transferData,
    [Symbol.asyncDispose]() {
      socket.destroy();
      return Promise.resolve();
    },
  };
}

/** Connects to an FTP server and logs in. */
export async function connectToFtpAndLogIn(
  port: number,
  {
    user = "anonymous",
    password = "guest@",
    ...where
  }: { user?: string; password?: string; host?: string; tls?: boolean } = {},
): Promise<FtpTestClient> {
  const client = await connectToFtpWithoutLogin(port, where);
  await client.sendCommand(`USER ${user}`);
  const answer = await client.sendCommand(`PASS ${password}`);
  if (!answer.startsWith("230")) throw new Error(`no login: ${answer}`);
  return client;
}
