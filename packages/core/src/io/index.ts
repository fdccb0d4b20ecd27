export { CommandConnection } from "./command-connection.ts";
export type {
  CommandConnectionOptions,
  CommandContext,
  CommandProtocol,
  ExpectOptions,
  Reply,
  ReplyParser,
  ReplyTimeout,
  RunOptions,
} from "./command-protocol.ts";
export { LineScanner, type ScannedLine } from "./line-scanner.ts";
export { dotStuffedBody, DotDecoder } from "./dot-stuffing.ts";
export { requestResponse } from "./request-response.ts";
export { ConnectionPool, type ConnectionPoolOptions, type PooledConnection } from "./connection-pool.ts";
export { SocketReader } from "./socket-reader.ts";
export { readLine } from "./read-line.ts";
export { LineSplitter, type LineLimit, readLines } from "./lines.ts";
export { delay } from "./delay.ts";
export { contentChangedError, type ResumeOptions, resumableSource } from "./resume.ts";
export { writeAll } from "./write-all.ts";
export { fixedLengthSource, limitSource } from "./limit-source.ts";
export { credentialsKey } from "./credentials-key.ts";
export { isRefusedOrReset } from "./refused-or-reset.ts";
