// What the author of a scheme uses besides index.ts.
export {
  connectSteps,
  expectStep,
  rejectControlBytes,
  makePlan,
  tlsStep,
  sendStep,
  step,
} from "./scheme/plan-builders.ts";
export { writeFileAtomic } from "./resources/write-file-atomic.ts";
export { createRegistry, type Registry } from "./client/registry.ts";
export { utcDate } from "./text/utc-date.ts";
export { httpDate } from "./text/http-date.ts";
export { guessMediaType } from "./text/media-type.ts";
export { ServerText, serverText, formatMessage, type MessageParts } from "./errors/server-text.ts";
export {
  asBuffer,
  latin1ToText,
  bytesToLatin1,
  latin1ToBytes,
  toSingleLine,
  decodeUtf8OrLatin1,
} from "./text/decode.ts";
export type { Socket } from "./network/socket.ts";
export { systemResolver } from "./network/connector.ts";
export { limitError, mergeLimits } from "./policy/limits.ts";
export { checkArgument, type CheckInit, checkOptions } from "./options/check-options.ts";
export type { OptionKind, OptionTable, WrongPart } from "./options/option-kinds.ts";
export type { Syntax } from "./syntax/index.ts";
export type {
  Endpoint,
  ProtocolEndpoint,
  ConnectTarget,
  ConnectOptions,
  ConnectionSource,
  TlsOptions,
  DatagramSocket,
  ReceiveOptions,
  DatagramOptions,
  AccessContext,
  TraceMessage,
  ByteSource,
  ContentInit,
  ResponseHead,
  DirectoryInit,
} from "./scheme/scheme.ts";
export type {
  Operation,
  Operations,
  ResultInit,
  PutRequest,
  RenameRequest,
  UploadStream,
} from "./scheme/operation.ts";
export type { ResourceBase, SimpleResourceKind, ResourceProps } from "./scheme/resource.ts";
export * as optionKinds from "./options/option-kinds.ts";
