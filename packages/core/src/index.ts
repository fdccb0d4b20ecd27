export { type AccessCode, AccessError, type CertificateFault } from "./errors/access-error.ts";
export type * from "./scheme/scheme.ts";
export { type Client, createClient, type OperationPlanOptions } from "./client/client.ts";
export type { ResourceFor, UrlFor } from "./client/types.ts";
export type { CredentialProvider } from "./client/credentials.ts";
export type { Gateways, GatewayRule, GatewayUse } from "./client/gateways.ts";
export type { FetchInit, FetchInput } from "./resources/fetch-init.ts";
export type { ClientOptions, DereferenceOptions } from "./client/options.ts";
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
export { type TraceListener, TRACE_CHANNEL, type TraceEvent } from "./client/trace.ts";
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
export { type Ending, EndingSource } from "./client/lifetime/ending.ts";
export { type Resolver, systemResolver } from "./network/connector.ts";
export { DEFAULT_LIMITS, limitError, type Limits, mergeLimits } from "./policy/limits.ts";
export type { AllowedAddress } from "./policy/allowed-addresses.ts";
export {
  type Policy,
  type PolicyOptions,
  type PortRequest,
  publicInternet,
  anyAddress,
} from "./policy/policy.ts";
export { checkArgument, type CheckInit, checkOptions } from "./options/check-options.ts";
export type { OptionKind, OptionTable, WrongPart } from "./options/option-kinds.ts";
export * as optionKinds from "./options/option-kinds.ts";
export {
  type EqualityLevel,
  type Mode,
  type ParseOptions,
  type ParseResult,
  type Syntax,
  Url,
  UrlSyntaxError,
} from "./syntax/index.ts";
export {
  type UrlMatch,
  type ExtractOptions,
  extractUrls,
  MAX_EXTRACT_LENGTH,
  type InvalidMatch,
  type UrlParser,
} from "./extract/extract.ts";
export { resolveReference } from "./syntax/reference.ts";
