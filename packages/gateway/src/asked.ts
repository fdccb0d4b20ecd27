import type { Client, Url } from "@anyscheme/core";
import { addressOf, unescapeText } from "./address.ts";
import { hasLogin } from "./links.ts";
import type { GatewayRequest } from "./message.ts";
import { Refusal } from "./status.ts";

const ABSOLUTE = /^[A-Za-z0-9][A-Za-z0-9+.-]*:/;

export function targetOf(target: string, origins: readonly string[]): { target: string; proxied: boolean } {
  if (!ABSOLUTE.test(target)) return { target, proxied: false };
  const own = origins.find((origin) => target === origin || target.startsWith(`${origin}/`));
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

/** A stranger's page cannot use this gateway: neither by a name of its own that leads here, nor by a form that points here. */
export function checkOrigin(request: GatewayRequest, origins: readonly string[]): void {
  const host = request.header("host") ?? "";
  if (!origins.includes(`http://${host.toLowerCase()}`))
    throw new Refusal(421, "This is not the server of that name.");
  if (request.method !== "POST") return;
  const origin = request.header("origin");
  const site = request.header("sec-fetch-site");
  const foreign =
    (origin !== undefined && !origins.includes(origin)) || (site !== undefined && site !== "same-origin");
  if (foreign) throw new Refusal(403, "The form was sent from another site.");
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

/** The URL that a request names, for the form at the top of its failure; nothing secret is repeated. */
export function namedBy(client: Client, target: string, proxied: boolean): string | undefined {
  const text = proxied ? target : (addressOf(target)?.url ?? /^\/\?url=(.*)$/s.exec(target)?.[1]);
  const { url } = client.tryParse(text ?? "");
  return url && !hasLogin(url, client) ? client.format(url) : undefined;
}

/** The rest of the target, so that a URL which somebody pasted behind `?url=` without escaping is read as it is. */
export function urlParameter(target: string): string {
  const value = /[?&]url=(.*)$/s.exec(target)?.[1];
  if (value === undefined) throw new Refusal(404, "There is nothing under this path; /?url=… shows a URL.");
  return unescapeText(value);
}
