export { CommandReplyConnection } from "./commands/command-reply-connection.ts";
export type {
  CommandReplyConnectionOptions,
  CommandReplyConnectionDependencies,
  CommandReplyProtocolDefinition,
  ExpectReplyOptions,
  Reply,
  ReplyParser,
  ReplyTimeoutLimitName,
  RunStepsOptions,
} from "./commands/command-reply-connection-types.ts";
export {
  createNumericReplyProtocol,
  formatReceivedNumericReply,
  type NumericReplyProtocolInit,
  parseSingleLineNumericReply,
} from "./commands/numeric-reply-protocol.ts";
export { decodeDotStuffedSource, DotDecoder } from "./dot-decoder.ts";
export { connectAndSendRequest } from "./connect-and-send-request.ts";
export {
  hashCredentials,
  ConnectionPool,
  type ConnectionPoolOptions,
  isRefusedOrReset,
  type PooledConnection,
} from "./connection-pool.ts";
export { SocketReader } from "./socket-reader.ts";
export { LineScanner, LineSplitter, readLine, readLines, type LineScanResult } from "./lines.ts";
export { delay, raceAbort } from "./abort.ts";
export { createContentChangedError, type ResumableSourceOptions, createResumableSource } from "./resume.ts";
export { endWriting, writeChunk } from "./write-chunk.ts";
export { writeAllBytesToFile } from "./write-all-to-file.ts";
export {
  createFixedLengthSource,
  createPushbackSource,
  EMPTY_BYTE_SOURCE,
  limitByteSource,
  type PushbackByteSource,
} from "./byte-source-wrappers.ts";
