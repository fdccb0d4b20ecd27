export { type AccessCode, AccessError, type CertificateFault } from "./access-error.ts";
export type * from "./scheme.ts";
export { type Client, createClient, type Planned } from "./client/client.ts";
export type { ResourceFor, UrlFor } from "./client/typing.ts";
export type { AskCredentials } from "./client/credentials.ts";
export type { Gateways, GatewayOptions, GatewayUse } from "./client/gateway.ts";
export type { FetchInit, FetchInput } from "./client/fetch-init.ts";
export type { ClientOptions, DereferenceOptions } from "./client/options.ts";
export { connectSteps, expectStep, lineSafe, makePlan, secureStep, sendStep, step } from "./client/plan.ts";
export { writeAside } from "./client/aside.ts";
export { createRegistry, type Registry } from "./client/registry.ts";
export { type Transcript, TRANSCRIPT_CHANNEL, type TranscriptEvent } from "./client/transcript.ts";
export { utcDate } from "./date.ts";
export { httpDate } from "./http-date.ts";
export { mediaTypeOf } from "./media-type.ts";
export { ServerText, serverText, textOfWording, type Wording } from "./server-text.ts";
export { bufferOf, decoded, latin1Of, octetsOf, oneLine, textOf } from "./text.ts";
export type { Socket } from "./guard/socket.ts";
export { type Ending, EndingSource } from "./guard/ending.ts";
export { type Resolver, systemResolver } from "./guard/gate.ts";
export { DEFAULT_LIMITS, limitReached, type Limits, limitsWith } from "./guard/limits.ts";
export type { AddressException } from "./guard/exceptions.ts";
export {
  type Policy,
  type PolicyOptions,
  type PortQuestion,
  publicInternet,
  trusted,
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
  type Extracted,
  type ExtractOptions,
  extractUrls,
  MAX_EXTRACT_LENGTH,
  type Refused,
  type UrlReader,
} from "./syntax/extract.ts";
export { resolveReference } from "./syntax/reference.ts";
