export { type AccessCode, AccessError, type CertificateFault } from "./access-error.ts";
export type * from "./scheme.ts";
export { type Client, createClient, type OperationPlanOptions } from "./client/client.ts";
export type { ResourceFor, UrlFor } from "./client/typing.ts";
export type { CredentialProvider } from "./client/credentials.ts";
export type { Gateways, GatewayRule, GatewayUse } from "./client/gateway.ts";
export type { FetchInit, FetchInput } from "./client/fetch-init.ts";
export type { ClientOptions, DereferenceOptions } from "./client/options.ts";
export { connectSteps, expectStep, rejectControlBytes, makePlan, tlsStep, sendStep, step } from "./client/plan.ts";
export { writeFileAtomic } from "./client/aside.ts";
export { createRegistry, type Registry } from "./client/registry.ts";
export { type TraceListener, TRACE_CHANNEL, type TraceEvent } from "./client/transcript.ts";
export { utcDate } from "./date.ts";
export { httpDate } from "./http-date.ts";
export { guessMediaType } from "./media-type.ts";
export { ServerText, serverText, formatMessage, type MessageParts } from "./server-text.ts";
export { asBuffer, latin1ToText, bytesToLatin1, latin1ToBytes, toSingleLine, decodeUtf8OrLatin1 } from "./text.ts";
export type { Socket } from "./guard/socket.ts";
export { type Ending, EndingSource } from "./guard/ending.ts";
export { type Resolver, systemResolver } from "./guard/gate.ts";
export { DEFAULT_LIMITS, limitError, type Limits, mergeLimits } from "./guard/limits.ts";
export type { AllowedAddress } from "./guard/exceptions.ts";
export {
  type Policy,
  type PolicyOptions,
  type PortRequest,
  publicInternet,
  anyAddress,
} from "./guard/policy.ts";
export { checkArgument, type CheckInit, checkOptions } from "./syntax/check-options.ts";
export type { OptionKind, OptionTable, WrongPart } from "./syntax/option-kinds.ts";
export * as optionKinds from "./syntax/option-kinds.ts";
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
} from "./syntax/extract.ts";
export { resolveReference } from "./syntax/reference.ts";
