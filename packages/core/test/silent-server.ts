import { type LoopbackServer, startScriptedServer } from "../src/testing/index.ts";

/** Starts a server that sends nothing and ends a connection when the client does. */
export function startSilentServer(options: { address?: string } = {}): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => void (await peer.readBytes(Infinity)), options);
}
