import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "../../../src/testing/index.ts";
import {
  ParsedProxyServerSettings,
  type ProxyServerSettings,
} from "../../../src/network/proxy/proxy-settings.ts";
import type { RecordingConnectionContext } from "../recording-connection-context.ts";
import {
  type RecordingConnectionContextInit,
  createRecordingConnectionContext,
} from "../recording-connection-context.ts";

/** Starts a proxy that follows a script and records each connection. */
export function startScriptedProxy(
  script: (peer: ScriptedPeer) => Promise<void> | void,
): Promise<LoopbackServer> {
  return startScriptedServer(script);
}

/** Reads the request line and the header lines of a request. */
export async function readRequestHeaderLines(peer: ScriptedPeer): Promise<string[]> {
  const lines: string[] = [];
  for (let line = await peer.readLine(); line; line = await peer.readLine()) lines.push(line);
  return lines;
}

/** Starts an HTTP proxy that accepts every CONNECT request, and sends nothing through the tunnel. */
export function startProxyWithSilentTunnel(): Promise<LoopbackServer> {
  return startScriptedProxy(async (peer) => {
    await readRequestHeaderLines(peer);
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    await peer.closed;
  });
}

/** Creates a context that uses a proxy on a loopback port. */
export function createConnectionContextWithProxy(
  { port }: { readonly port: number },
  settings: Omit<ProxyServerSettings, "url"> & { readonly protocol?: string; readonly login?: string } = {},
  init: RecordingConnectionContextInit = {},
): RecordingConnectionContext {
  const { protocol = "http", login, ...rest } = settings;
  const url = `${protocol}://${login === undefined ? "" : `${login}@`}127.0.0.1:${port}`;
  return createRecordingConnectionContext({
    ...init,
    proxy: new ParsedProxyServerSettings({ url, ...rest }),
  });
}
