// What programs use. What the author of a scheme needs is in plugin.ts.
export { type AccessCode, AccessError, type CertificateFault } from "./errors/access-error.ts";
export { type Client, createClient, type OperationPlanOptions } from "./client/client.ts";
export type { ResourceFor, UrlFor } from "./client/types.ts";
export type { CredentialProvider } from "./client/options.ts";
export type { Gateways, GatewayRule, GatewayUse } from "./client/gateways.ts";
export type { FetchInit, FetchInput } from "./resources/fetch-init.ts";
export type { ClientOptions, DereferenceOptions } from "./client/options.ts";
export { type TraceListener, TRACE_CHANNEL, type TraceEvent } from "./client/trace.ts";
export type { Resolver } from "./network/connector.ts";
export { DEFAULT_LIMITS, type Limits } from "./policy/limits.ts";
export type { AllowedAddress } from "./policy/allowed-addresses.ts";
export {
  type Policy,
  type PolicyOptions,
  type PortRequest,
  publicInternet,
  anyAddress,
} from "./policy/policy.ts";
export {
  type EqualityLevel,
  type Mode,
  type ParseOptions,
  type ParseResult,
  Url,
  UrlSyntaxError,
} from "./syntax/index.ts";
export type {
  Action,
  Step,
  Plan,
  PlanOptions,
  Range,
  Resume,
  Scheme,
  CredentialRequest,
  Credentials,
} from "./scheme/scheme.ts";
export type {
  OperationName,
  OperationResult,
  Stat,
  PutResult,
  PutOptions,
  UploadBody,
} from "./scheme/operation.ts";
export type {
  Completeness,
  RedirectEntry,
  Progress,
  ContentResource,
  DirectoryCompleteness,
  Entry,
  DirectoryResource,
  FormField,
  FormValue,
  FormResource,
  ServiceResource,
  ServiceOptions,
  ServiceSession,
  MailboxResource,
  NotModifiedResource,
  Resource,
} from "./scheme/resource.ts";
