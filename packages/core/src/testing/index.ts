export type { Connection, LoopbackServer } from "./loopback.ts";
export { type Peer, type Script, startScriptedServer, startTripwire } from "./scripted-server.ts";
export { type ConnectionWatch, watchConnections } from "./dialled.ts";
export { startDatagramRecordingProxy } from "./datagram-tap.ts";
export { sentBy, startRecordingProxy } from "./tap.ts";
export { describeScheme, type Runner, type SchemeExample } from "./conformance.ts";
export type { ServedObject } from "./conformance-access.ts";
