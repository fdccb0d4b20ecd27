import type { AccessContext, PlanOptions } from "@anyscheme/core/plugin";
import type { HttpRequestOptions, HttpsOptions } from "./scheme-options.ts";
import type { HttpPlan } from "./plan.ts";

/**
 * One hop of an http or https request: the access to the URL of the caller or of one redirect. The type parameter `R`
 * is the type of the result of the request.
 */
export interface HttpHopInputs<R = unknown> {
  readonly plan: HttpPlan;
  readonly context: AccessContext<R>;
  readonly requestOptions: PlanOptions & HttpRequestOptions;
  /** The options with which the http or https scheme was created. A hop to another origin has no client certificate. */
  readonly schemeOptions: HttpsOptions;
}

/** Returns the inputs of the hop, without the client certificate if the server belongs to another origin. */
export function removeCrossOriginClientCertificate<R>(hop: HttpHopInputs<R>): HttpHopInputs<R> {
  if (!hop.context.isCrossOrigin) return hop;
  const { schemeOptions } = hop;
  return {
    ...hop,
    schemeOptions: { ...schemeOptions, cert: undefined, key: undefined, passphrase: undefined },
  };
}
