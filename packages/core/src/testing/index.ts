export type { Connection, LoopbackServer } from "./loopback.ts";
export { type Peer, type Script, startScriptedServer, startTripwire } from "./scripted-server.ts";
export { type Dialled, watchDialled } from "./dialled.ts";
export { startDatagramTap } from "./datagram-tap.ts";
export { sentBy, startTap } from "./tap.ts";
export { describeScheme, type Runner, type SchemeExample } from "./conformance.ts";
export type { ServedObject } from "./conformance-access.ts";
