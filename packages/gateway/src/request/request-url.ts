import type { Client, Url } from "@anyscheme/core";
import { InternetUrl } from "@anyscheme/core/syntax";
import { GatewayHttpError } from "../http/errors.ts";
import type { GatewayRequest } from "../http/request.ts";
import { decodeFormValue, parseGatewayPath } from "./gateway-path.ts";

/** The request target of an HTTP request, without the origin of the gateway itself. */
export interface GatewayPathOrProxiedUrl {
  /** A path of this gateway, or a URL if `isProxyRequest` is true. */
  readonly gatewayPathOrUrl: string;
  readonly isProxyRequest: boolean;
}

const ABSOLUTE_URL_START = /^[A-Za-z0-9][A-Za-z0-9+.-]*:/;

/** Parses a request target into a path of this gateway or the URL of a proxy request. */
export function parseGatewayPathOrProxiedUrl(
  target: string,
  origins: readonly string[],
): GatewayPathOrProxiedUrl {
  if (!ABSOLUTE_URL_START.test(target)) return { gatewayPathOrUrl: target, isProxyRequest: false };
  const own = origins.find(
    (origin) => origin.startsWith("http:") && (target === origin || target.startsWith(`${origin}/`)),
  );
  return own === undefined
    ? { gatewayPathOrUrl: target, isProxyRequest: true }
    : { gatewayPathOrUrl: target.slice(own.length) || "/", isProxyRequest: false };
}

/** True for a client that accepts HTML, as browsers do. */
export function acceptsHtml(request: GatewayRequest): boolean {
  return /\btext\/html\b/i.test(request.getHeader("accept") ?? "");
}

/** Throws `GatewayHttpError` for a method that the request target does not support. */
export function checkGatewayRequestMethod({ method }: GatewayRequest, target: string): void {
  const isForm = target === "/~form";
  if (isForm ? method === "POST" : method === "GET" || method === "HEAD") return;
  throw new GatewayHttpError(
    405,
    isForm ? "A form must be sent with the method POST." : `The method ${method} is not supported.`,
  );
}

/**
 * Parses the URL of a request to the gateway. Throws `GatewayHttpError` for a URL with a login, so that no page or
 * browser history contains a password.
 */
export function parseUrlRefusingLogin(client: Client, text: string): Url {
  const { url, fault } = client.tryParse(text.trim());
  if (fault) throw new GatewayHttpError(400, `${fault.message} (${fault.suggestion})`);
  if (hasLoginToHide(url, client))
    throw new GatewayHttpError(403, "This gateway shows no URLs with a user name or password.");
  return url;
}

/**
 * True when a URL has a user name or a password that must not be shown. The user name in a telnet URL is a suggestion
 * and not secret (RFC 1738 §3.8). A URL of an unknown scheme with an "@" may have a login, as in
 * `joe:secret@host.example`, whose scheme is `joe`.
 */
export function hasLoginToHide(url: Url, { schemes }: Client): boolean {
  if (!(url instanceof InternetUrl)) return false;
  if (!schemes.includes(url.scheme)) return url.href.includes("@");
  return url.password !== undefined || (url.user !== undefined && url.scheme !== "telnet");
}

/** Returns the text of the requested URL. Returns undefined for a request target without a URL. */
export function getRequestedUrl({
  gatewayPathOrUrl,
  isProxyRequest,
}: GatewayPathOrProxiedUrl): string | undefined {
  if (isProxyRequest) return gatewayPathOrUrl;
  if (gatewayPathOrUrl.startsWith("/~search?"))
    return parseSearchFormParameters(gatewayPathOrUrl).get("url") ?? undefined;
  return parseGatewayPath(gatewayPathOrUrl)?.url ?? parseUrlParameter(gatewayPathOrUrl);
}

/** Returns the URL for the form of an error page, or undefined for a text that may contain a login. */
export function formatErrorPageUrlUnlessItHasLogin(client: Client, text: string): string | undefined {
  const { url } = client.tryParse(text.trim());
  if (url) return hasLoginToHide(url, client) ? undefined : client.format(url);
  return /@|%40/i.test(text) ? undefined : text;
}

export function parseSearchFormParameters(target: string): URLSearchParams {
  return new URLSearchParams(target.slice("/~search?".length));
}

/**
 * Returns the URL that a user types into the form of a gateway page. Throws `GatewayHttpError` if the request target
 * has no URL.
 */
export function requireUrlParameter(target: string): string {
  const text = parseUrlParameter(target);
  if (text === undefined)
    throw new GatewayHttpError(404, "This path does not exist. Use /?url=… to show a URL.");
  return text;
}

/**
 * Returns the decoded text after `url=` in a request target. The URL after `url=` extends to the end of the target,
 * because it may contain "&".
 */
function parseUrlParameter(target: string): string | undefined {
  const value = /[?&]url=(.*)$/s.exec(target)?.[1];
  return value === undefined ? undefined : decodeFormValue(value);
}
