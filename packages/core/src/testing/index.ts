export type { LoopbackConnection, LoopbackServer } from "./loopback.ts";
export {
  type ScriptedPeer,
  type ServerScript,
  startScriptedServer,
  startForbiddenServer,
} from "./scripted-server.ts";
export { type ClientConnectionWatch, watchClientConnections } from "./watch-client-connections.ts";
export { startDatagramRecordingProxy } from "./datagram-recording-proxy.ts";
export { getPlannedBytes, startRecordingProxy } from "./recording-proxy.ts";
export { describeScheme, type TestRunner, type SchemeExample } from "./conformance.ts";
export type { ServedObject } from "./conformance-access-method.ts";
