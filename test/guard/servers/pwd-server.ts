import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { replyToEachCommand } from "./reply-to-each-command.ts";

/** An FTP server that has no files, and names a given directory in its reply to PWD. */
export interface PwdServer extends AsyncDisposable {
  readonly port: number;
  /**
   * Waits until all connections are closed, and returns the bytes that each received. In the returned strings, one
   * character is one byte.
   */
  receivedBytes(): Promise<string[]>;
}

export async function startPwdServer(directory: string): Promise<PwdServer> {
  const data = await startForbiddenServer();
  const answers: Readonly<Record<string, string>> = {
    USER: "230 welcome",
    PWD: `257 "${directory.replaceAll('"', '""')}" is current`,
    CWD: "250 changed",
    TYPE: "200 set",
    EPSV: `229 extended passive (|||${data.port}|)`,
    QUIT: "221 bye",
  };
  const control = await startScriptedServer(async (peer) => {
    peer.send("220 ready\r\n");
    await replyToEachCommand(peer, answers, "550 not here");
  });
  return {
    port: control.port,
    async receivedBytes() {
      await Promise.all(control.connections.map(({ closed }) => closed));
      return control.connections.map(({ received }) => received.toString("latin1"));
    },
    async [Symbol.asyncDispose]() {
      await control.stop();
      await data.stop();
    },
  };
}
