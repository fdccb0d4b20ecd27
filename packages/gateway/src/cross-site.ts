import type { GatewayRequest } from "./message.ts";
import { Refusal } from "./status.ts";

/**
 * Refuses a request that does not name this gateway, or as a proxy's request its target, in one `Host` field: a stranger's name
 * may lead here (DNS rebinding), and two fields name two servers. RFC 9112 §3.2.
 */
export function checkHost(
  request: GatewayRequest,
  { target, proxied }: { readonly target: string; readonly proxied: boolean },
  origins: readonly string[],
): void {
  const hosts = request.values("host");
  if (hosts.length > 1) throw new Refusal(400, "The request has more than one Host field.");
  const host = hosts[0]?.toLowerCase();
  if (host !== undefined && origins.includes(`http://${host}`)) return;
  // RFC 1945: a client of HTTP/1.0 sends its proxy no Host field.
  if (proxied && (host === undefined || nameIn(host) === hostOf(target))) return;
  throw new Refusal(421, "This is not the server of that name.");
}

function hostOf(target: string): string | undefined {
  const authority = /^[^:]*:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(target)?.[1];
  return authority && nameIn(authority.toLowerCase());
}

/** A host without its port: clients leave out a default port in one place and not in the other. */
function nameIn(host: string): string {
  return host.replace(/:\d*$/, "");
}

/** Fields in which browsers say that they fetch a page before the user asks for it. */
const PURPOSES = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;

/**
 * Refuses a request that a page of another site caused: an image, a frame, a script, a form. The user may follow a link from
 * another site. Browsers say what caused a request; other programs do not, and are served.
 */
export function checkSite(request: GatewayRequest, origins: readonly string[]): void {
  if (!isCausedElsewhere(request, origins)) return;
  const post = request.method === "POST";
  throw new Refusal(
    403,
    post
      ? "The form was sent from another site."
      : "A page of another site asked for this. To show the URL, press Go.",
  );
}

/** <https://www.w3.org/TR/fetch-metadata/>; browsers send its fields over TLS and to this machine. */
function isCausedElsewhere(request: GatewayRequest, origins: readonly string[]): boolean {
  const field = (name: string): string | undefined => request.header(name);
  const origin = field("origin");
  if (origin !== undefined && !origins.includes(origin)) return true;
  // The prefetches of speculation rules have the site "none", as typed addresses have.
  if (PURPOSES.some((name) => field(name)?.includes("prefetch"))) return true;
  const site = field("sec-fetch-site");
  if (site === undefined) return isPageOfAnother(field("referer"), origins);
  if (site === "same-origin") return false;
  if (request.method === "POST") return true;
  if (site === "none") return false;
  const isPage = field("sec-fetch-mode") === "navigate" && field("sec-fetch-dest") === "document";
  return !isPage || field("sec-fetch-user") !== "?1";
}

function isPageOfAnother(referer: string | undefined, origins: readonly string[]): boolean {
  if (referer === undefined || !/^https?:/i.test(referer) || !URL.canParse(referer)) return false;
  return !origins.includes(new URL(referer).origin);
}
