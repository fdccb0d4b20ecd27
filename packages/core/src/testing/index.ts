export type { Connection, LoopbackServer } from "./loopback.ts";
export { type Peer, type Script, startScriptedServer, startTripwire } from "./scripted-server.ts";
export { type ConnectionWatch, watchConnections } from "./watch-connections.ts";
export { startDatagramRecordingProxy } from "./datagram-recording-proxy.ts";
export { sentBy, startRecordingProxy } from "./recording-proxy.ts";
export { describeScheme, type Runner, type SchemeExample } from "./conformance.ts";
export type { ServedObject } from "./conformance-access.ts";
