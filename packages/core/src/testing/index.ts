export type { AcceptedConnection, LoopbackServer, TestCertificate } from "./loopback-server.ts";
export {
  type ScriptedPeer,
  type ServerScript,
  startScriptedServer,
  startForbiddenServer,
} from "./scripted-server.ts";
export { type ClientSocketReadWatch, watchClientSocketReads } from "./watch-client-socket-reads.ts";
export { startDatagramRecordingProxy } from "./datagram-recording-proxy.ts";
export { getPlannedBytes, startRecordingProxy } from "./tcp-recording-proxy.ts";
export { describeScheme, type TestRunner, type SchemeUnderTest } from "./conformance.ts";
export type { ServedTestObject } from "./dereference-conformance-checks.ts";
