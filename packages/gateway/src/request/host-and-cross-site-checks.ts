import { GatewayHttpError } from "../http/errors.ts";
import type { GatewayRequest } from "../http/request.ts";
import type { GatewayPathOrProxiedUrl } from "./request-url.ts";

/**
 * Throws `GatewayHttpError` unless the request has one `Host` field with the name of this gateway or of the server in a
 * proxy request. A proxy request may lack the `Host` field. An attacker's host name may resolve to the gateway's
 * address (DNS rebinding). RFC 9112 §3.2.
 */
export function rejectWrongHostHeader(
  request: GatewayRequest,
  { gatewayPathOrUrl, isProxyRequest }: GatewayPathOrProxiedUrl,
  origins: readonly string[],
): void {
  const hosts = request.getHeaderValues("host");
  if (hosts.length > 1) throw new GatewayHttpError(400, "The request has more than one Host field.");
  const host = hosts[0]?.toLowerCase();
  if (host !== undefined && origins.includes(`http://${host}`)) return;
  // HTTP/1.0 clients send no Host field. RFC 1945.
  if (isProxyRequest && (host === undefined || removePort(host) === parseTargetHost(gatewayPathOrUrl)))
    return;
  throw new GatewayHttpError(421, "This gateway does not serve the host name of the request.");
}

function parseTargetHost(target: string): string | undefined {
  const authority = /^[^:]*:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(target)?.[1];
  return authority && removePort(authority.toLowerCase());
}

/** Some clients send a default port only in the request target or only in the Host field. */
function removePort(host: string): string {
  return host.replace(/:\d*$/, "");
}

const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;

/**
 * Throws `GatewayHttpError` for an image, frame, script or form in a page of another site. Allows links that the user
 * follows, and requests of programs that send no `Origin`, `Referer` or `Sec-Fetch` fields.
 */
export function rejectCrossSiteRequest(request: GatewayRequest, origins: readonly string[]): void {
  if (!isCrossSite(request, origins)) return;
  const post = request.method === "POST";
  throw new GatewayHttpError(
    403,
    post
      ? "The form was sent from another site."
      : "A page of another site requested this URL. Press Go to show it.",
  );
}

/**
 * True for a request from a page of another site. Browsers send fetch metadata only over TLS and to localhost:
 * <https://www.w3.org/TR/fetch-metadata/>.
 */
function isCrossSite(request: GatewayRequest, origins: readonly string[]): boolean {
  const field = (name: string): string | undefined => request.getHeader(name);
  const origin = field("origin");
  if (origin !== undefined && !origins.includes(origin)) return true;
  // A prefetch by speculation rules has `Sec-Fetch-Site: none`, like a URL in the address bar.
  if (PREFETCH_HEADERS.some((name) => field(name)?.includes("prefetch"))) return true;
  const site = field("sec-fetch-site");
  if (site === undefined) return isCrossSiteReferer(field("referer"), origins);
  if (site === "same-origin") return false;
  if (request.method === "POST") return true;
  if (site === "none") return false;
  const isPage = field("sec-fetch-mode") === "navigate" && field("sec-fetch-dest") === "document";
  return !isPage || field("sec-fetch-user") !== "?1";
}

function isCrossSiteReferer(referer: string | undefined, origins: readonly string[]): boolean {
  if (referer === undefined || !/^https?:/i.test(referer) || !URL.canParse(referer)) return false;
  return !origins.includes(new URL(referer).origin);
}
