// The exports for authors of schemes, and rarely used types of options and results.

// The contract of a scheme.
export type * from "./scheme/context.ts";
export type {
  SchemeOperationImplementation,
  OperationName,
  OperationResult,
  OptionalSchemeOperations,
  PutOptions,
  PutOperationOptions,
  PutResult,
  RenameOperationOptions,
  OperationResultInit,
  UploadBody,
  UploadChunksAndSize,
} from "./scheme/operation.ts";
export type { BodilessResourceKind, KindSpecificResourceFields, ResourceBase } from "./scheme/resource.ts";
export {
  type StepActionName,
  createResolveAndConnectSteps,
  type Endpoint,
  createExpectReplyStep,
  createPlan,
  type PlanOptions,
  type Range,
  type ArgumentInErrors,
  rejectControlBytes,
  type BodyResumeOptions,
  createSendStep,
  type LazyStepBytes,
  createStep,
  createTlsStep,
} from "./scheme/plan.ts";
export type { Syntax } from "./syntax/index.ts";

// The completion of a proxy URL, for command lines and configuration files, and the types of the request cache.
export { completeProxyUrl } from "./network/proxy/proxy-from-environment.ts";
export type { CacheMode } from "./cache/cache-store.ts";
export type { NewCacheEntry, RequestCache, CacheEntryAllowedByPolicy } from "./cache/request-cache.ts";

// The errors and limits of requests, and functions for texts that servers send.
export type { ServerCertificateFault } from "./errors/access-error.ts";
export {
  type MaskableErrorText,
  MaskableServerText,
  createMaskableServerText,
} from "./errors/access-error.ts";
export {
  mergeDefaultLimitsOfSchemes,
  createLimitError,
  createLimitsOptionKind,
  type LimitValuesByName,
  mergeLimits,
} from "./policy/limits.ts";
export {
  asBuffer,
  bytesToLatin1,
  decodeUtf8OrLatin1,
  latin1ToBytes,
  decodeBinaryStringToText,
  toSingleLine,
} from "./text/decode-bytes.ts";
export { parseHttpDate } from "./text/http-date.ts";
export {
  getFirstInvalidHeaderCharacter,
  HTTP_TOKEN_REGEXP_SOURCE,
  httpMethodOptionKind,
  isForbiddenRequestHeader,
  isHttpToken,
  normalizeHttpMethod,
} from "./text/http-syntax.ts";
export { getCharsetOrUtf8, guessMediaType } from "./text/media-type.ts";
export { parseSingleRangeHeader } from "./text/parse-range-header.ts";
export { parseRetryAfterMs } from "./text/retry-after.ts";
export { createUtcDate } from "./text/create-utc-date.ts";

// The cache of files that have a version, for example their size and time.
export {
  type FileVersionAttributes,
  createVersionCheckedFileCache,
  createOnlyIfCachedError,
  type VersionCheckedFileCache,
  type CachedFile,
} from "./cache/version-checked-file-cache.ts";

// Options and their checks.
export {
  checkArgument,
  type RequiredOptionsAndUnknownOptionAdvice,
  checkOptions,
} from "./options/check-options.ts";
export { addDefaultOptions } from "./options/add-default-options.ts";
export * from "./options/option-kinds.ts";

// Types and functions of the client: gateways, credentials, hooks, retries, trace, policy and `fetch`.
export type { ClientPlanOptions } from "./client/client-interface.ts";
export type { GatewayForScheme, GatewaysByScheme, WhenToUseSchemeGateway } from "./client/scheme-gateways.ts";
export type { CredentialAnswer, CredentialRequestEvent } from "./client/options.ts";
export type { ExtendOptions } from "./client/requests/extend-client.ts";
export type {
  RequestHookHeaderChanges,
  RequestHookEvent,
  RequestHook,
  ResponseHookEvent,
  ResponseHook,
} from "./client/requests/hook-options.ts";
export type { RetryOption, RetryOptions } from "./client/requests/retry-options.ts";
export { sameOrigin } from "./client/redirect-rules.ts";
export type { TraceListener } from "./client/trace.ts";
export type { ResourceTypeForUrl, UrlTypeForInput } from "./client/types-inferred-from-url.ts";
export type { Socket } from "./network/guard-context.ts";
export type { Resolver } from "./network/resolver.ts";
export type { AllowedAddressBlock } from "./policy/allowed-addresses.ts";
export type { PolicyOptions, PortConfirmationRequest } from "./policy/policy.ts";
export type { FetchInit, FetchInput } from "./client/fetch/fetch-init.ts";
export { writeFileAtomic } from "./resources/write-file-atomic.ts";
export type {
  EqualityLevel,
  UrlFormatOptions,
  ParseMode,
  UrlParseOptions,
  ParseResult,
} from "./syntax/index.ts";
