import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "../../../src/testing/index.ts";
import { ProxyServer, type ProxySettings } from "../../../src/network/proxy/proxy.ts";
import type { RecordingConnector } from "../recording-connector.ts";
import { type RecordingConnectorInit, createRecordingConnector } from "../recording-connector.ts";

/** Starts a proxy that follows a script and records each connection. */
export function startScriptedProxy(
  script: (peer: ScriptedPeer) => Promise<void> | void,
): Promise<LoopbackServer> {
  return startScriptedServer(script);
}

/** Reads the header section of a request. */
export async function readRequestHeaderLines(peer: ScriptedPeer): Promise<string[]> {
  const lines: string[] = [];
  for (let line = await peer.readLine(); line; line = await peer.readLine()) lines.push(line);
  return lines;
}

/** Starts an HTTP proxy that accepts every CONNECT request, and sends nothing through the tunnel. */
export function startSilentTunnelProxy(): Promise<LoopbackServer> {
  return startScriptedProxy(async (peer) => {
    await readRequestHeaderLines(peer);
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    await peer.closed;
  });
}

/** Creates a connector that uses a proxy on a loopback port. */
export function createProxyConnector(
  { port }: { readonly port: number },
  settings: Omit<ProxySettings, "url"> & { readonly protocol?: string; readonly login?: string } = {},
  init: RecordingConnectorInit = {},
): RecordingConnector {
  const { protocol = "http", login, ...rest } = settings;
  const url = `${protocol}://${login === undefined ? "" : `${login}@`}127.0.0.1:${port}`;
  return createRecordingConnector({ ...init, proxy: new ProxyServer({ url, ...rest }) });
}
