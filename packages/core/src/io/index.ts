export { CommandConnection } from "./command-connection.ts";
export type {
  CommandConnectionOptions,
  CommandContext,
  CommandProtocol,
  ExpectReplyOptions,
  Reply,
  ReplyParser,
  ReplyTimeout,
  CommandRunOptions,
} from "./command-protocol.ts";
export { dotStuffedBody, DotDecoder } from "./dot-stuffing.ts";
export { requestResponse } from "./request-response.ts";
export {
  ConnectionPool,
  type ConnectionPoolOptions,
  isRefusedOrReset,
  type PooledConnection,
} from "./connection-pool.ts";
export { SocketReader } from "./socket-reader.ts";
export { LineScanner, LineSplitter, readLine, readLines, type ScannedLine } from "./lines.ts";
export { delay, raceAbort } from "./abort.ts";
export { contentChangedError, type ResumeOptions, resumableSource } from "./resume.ts";
export { writeAll } from "./write-all.ts";
export { fixedLengthSource, limitSource } from "./limit-source.ts";
export { credentialsKey } from "./credentials-key.ts";
