// The exports for programs. The exports for authors of schemes are in plugin.ts.
export { createClient } from "./client/client.ts";
export type { Client } from "./client/client-interface.ts";
export type { ClientOptions, CredentialProvider, DereferenceOptions } from "./client/options.ts";
export { TRACE_CHANNEL, type TraceEvent } from "./client/trace.ts";
export { type AccessErrorCode, AccessError } from "./errors/access-error.ts";
export {
  ResponseWithErrorStatus,
  type ResponseWithErrorStatusInit,
} from "./errors/response-with-error-status.ts";
export { dnsResolver, type DnsResolverOptions } from "./network/resolver.ts";
export type { ProxyOption, ProxySelector, ProxyServerSettings } from "./network/proxy/proxy-settings.ts";
export { type Environment, proxyFromEnvironment } from "./network/proxy/proxy-from-environment.ts";
export {
  type ClientLimits,
  DEFAULT_CORE_LIMITS,
  type LimitChanges,
  type CoreLimits,
} from "./policy/limits.ts";
export { anyAddress, type Policy, publicInternet } from "./policy/policy.ts";
export type { Stat } from "./scheme/operation.ts";
export type { Plan, Step } from "./scheme/plan.ts";
export type {
  Completeness,
  ContentResource,
  DirectoryCompleteness,
  DirectoryEntry,
  DirectoryResource,
  FormField,
  FormResource,
  FormValue,
  MailboxResource,
  MailRecipient,
  NotModifiedResource,
  RedirectChainEntry,
  Resource,
  ServiceSessionOptions,
  ServiceResource,
  ServiceSession,
  TransferProgress,
} from "./scheme/resource.ts";
export type { Scheme } from "./scheme/scheme.ts";
export { Url, UrlSyntaxError } from "./syntax/index.ts";
