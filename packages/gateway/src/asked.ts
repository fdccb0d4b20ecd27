import type { Client, Url } from "@anyscheme/core";
import { addressOf, unescapeText } from "./address.ts";
import { hasLogin } from "./links.ts";
import type { GatewayRequest } from "./message.ts";
import { Refusal } from "./status.ts";

const ABSOLUTE = /^[A-Za-z0-9][A-Za-z0-9+.-]*:/;

export function targetOf(target: string, origins: readonly string[]): { target: string; proxied: boolean } {
  if (!ABSOLUTE.test(target)) return { target, proxied: false };
  const own = origins.find(
    (origin) => origin.startsWith("http:") && (target === origin || target.startsWith(`${origin}/`)),
  );
  return own === undefined
    ? { target, proxied: true }
    : { target: target.slice(own.length) || "/", proxied: false };
}

/** A browser that uses the gateway as its proxy says that it reads HTML; other programs want the thing itself. */
export function wantsPage(request: GatewayRequest): boolean {
  return /\btext\/html\b/i.test(request.header("accept") ?? "");
}

export function checkMethod({ method }: GatewayRequest, target: string): void {
  const form = target === "/~form";
  if (form ? method === "POST" : method === "GET" || method === "HEAD") return;
  throw new Refusal(405, form ? "A form is sent by POST." : `The method ${method} is not served.`);
}

/** Reads a URL as people write it. Refuses a login: nothing secret belongs into an address bar, a history or a page. */
export function readUrl(client: Client, text: string): Url {
  const { url, fault } = client.tryParse(text.trim());
  if (fault) throw new Refusal(400, `${fault.message} (${fault.suggestion})`);
  if (hasLogin(url, client)) {
    throw new Refusal(403, "URLs with a user name or password are not shown here.");
  }
  return url;
}

/** The text of the URL that a request names; `undefined` when it names none. */
export function namedIn(target: string, proxied: boolean): string | undefined {
  if (proxied) return target;
  if (target.startsWith("/~search?")) return searchParameters(target).get("url") ?? undefined;
  return addressOf(target)?.url ?? parameterIn(target);
}

/** A URL for the form at the top of its failure page: written correctly, or as it was typed. A text that may hold a login is left out. */
export function withoutLogin(client: Client, text: string): string | undefined {
  const { url } = client.tryParse(text.trim());
  if (url) return hasLogin(url, client) ? undefined : client.format(url);
  return /@|%40/i.test(text) ? undefined : text;
}

/** The parameters of a search. */
export function searchParameters(target: string): URLSearchParams {
  return new URLSearchParams(target.slice("/~search?".length));
}

/** The URL that was typed into the form. Throws `Refusal` when there is none. */
export function urlParameter(target: string): string {
  const text = parameterIn(target);
  if (text === undefined) throw new Refusal(404, "There is nothing under this path; /?url=… shows a URL.");
  return text;
}

/** The rest of the target, so that a URL that was pasted behind `?url=` without escaping is read as it is. */
function parameterIn(target: string): string | undefined {
  const value = /[?&]url=(.*)$/s.exec(target)?.[1];
  return value === undefined ? undefined : unescapeText(value);
}
