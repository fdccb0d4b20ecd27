import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";

/** A server that answers the first line with a text, and the second with a reset. */
export function startResettingServer(text: string): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    await peer.line();
    peer.send(text);
    await peer.line();
    peer.reset();
  });
}
