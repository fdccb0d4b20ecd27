import { type LoopbackServer, startScriptedServer } from "../src/testing/index.ts";

/** A server that listens and says nothing; it ends a connection when the client does. */
export function startSilentServer(options: { address?: string } = {}): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => void (await peer.read(Infinity)), options);
}
