import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";

/** Starts a server that sends a text after the first received line, and resets the connection after the second line. */
export function startResettingServer(text: string): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    await peer.readLine();
    peer.send(text);
    await peer.readLine();
    peer.reset();
  });
}
