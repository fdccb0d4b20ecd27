import type { Client, Resource, TranscriptEvent, Url } from "@anyscheme/core";
import { InternetUrl } from "@anyscheme/core/syntax";
import { type Address, addressOf, pathOf } from "./address.ts";
import type { Admission } from "./admission.ts";
import { checkMethod, checkOrigin, namedBy, readUrl, targetOf, urlParameter } from "./asked.ts";
import { filled } from "./filled.ts";
import { EVERY_REPLY, PAGE } from "./headers.ts";
import { type Links, linksOf } from "./links.ts";
import type { GatewayReply, GatewayRequest, Handle } from "./message.ts";
import { detailsOf, MAX_EVENTS } from "./pages/details.ts";
import { failurePage } from "./pages/failure.ts";
import { homePage } from "./pages/home.ts";
import { STYLE } from "./pages/style.ts";
import { searchUrl } from "./search.ts";
import { show } from "./show.ts";
import { Refusal, statusOf } from "./status.ts";

/** What requests are handled with. */
export interface Handling {
  readonly client: Client;
  readonly admission: Admission;
  /** The origins under which this gateway is known, as in `http://127.0.0.1:8070`; the first one is written into pages for proxies' clients. */
  readonly origins: readonly string[];
  readonly maxTextBytes: number;
  readonly maxRawBytes: number;
}

/** Answers requests, one reply for each, whatever happens. */
export function createHandle(handling: Handling): Handle {
  const { client } = handling;

  return async (request, reply) => {
    const { target, proxied } = targetOf(request.target, handling.origins);
    const links = linksOf(client, proxied, handling.origins[0] ?? "");
    const events: TranscriptEvent[] = [];
    try {
      checkMethod(request, target);
      if (!proxied) checkOrigin(request, handling.origins);
      await answer({ request, reply, target, proxied, links, events }, handling);
    } catch (error) {
      if (reply.begun) return reply.cut();
      const status = statusOf(error);
      const retry =
        status === 503 ? { "retry-after": "5" } : status === 405 ? { allow: "GET, HEAD, POST" } : {};
      reply.begin(status, { ...PAGE, ...retry });
      await reply.write(
        failurePage(
          error,
          status,
          { own: links.own, url: namedBy(client, target, proxied) },
          detailsOf(undefined, events),
        ).markup,
      );
      reply.end();
    }
  };
}

interface Exchange {
  readonly request: GatewayRequest;
  readonly reply: GatewayReply;
  /** A path of this gateway, or with `proxied` a URL. */
  readonly target: string;
  readonly proxied: boolean;
  readonly links: Links;
  readonly events: TranscriptEvent[];
}

async function answer(exchange: Exchange, handling: Handling): Promise<void> {
  const { request, reply, target, proxied, links } = exchange;
  const { client } = handling;
  if (proxied) return serve(exchange, handling, { view: "page", url: target, from: 0 });
  const parameters = new URLSearchParams(target.slice(target.indexOf("?") + 1));
  if (target === "/~style.css") {
    reply.begin(200, {
      ...EVERY_REPLY,
      "content-type": "text/css; charset=utf-8",
      "cache-control": "max-age=3600",
    });
    await reply.write(STYLE);
    return reply.end();
  }
  if (target === "/~form") return serveForm(exchange, handling, new URLSearchParams(await request.body()));
  if (target === "/" || target === "/?") {
    reply.begin(200, PAGE);
    await reply.write(homePage(client.schemes, links.own).markup);
    return reply.end();
  }
  if (target.startsWith("/?")) return redirect(reply, client, readUrl(client, urlParameter(target)));
  if (target.startsWith("/~search?")) {
    const url = readUrl(client, parameters.get("url") ?? "");
    return redirect(reply, client, readUrl(client, searchUrl(client.format(url), parameters.get("q") ?? "")));
  }
  const address = addressOf(target);
  if (!address)
    throw new Refusal(404, "There is nothing under this path; a URL is shown under /scheme/host/path.");
  return serve(exchange, handling, address);
}

/** Dereferences and shows. */
async function serve(exchange: Exchange, handling: Handling, address: Address): Promise<void> {
  const url = readUrl(handling.client, address.url);
  await dereferenced(exchange, handling, url, {}, (resource) =>
    showing(exchange, handling, address, resource),
  );
}

/** What was filled into a form goes to its server; only the page that was made here may ask for that. */
async function serveForm(exchange: Exchange, handling: Handling, values: URLSearchParams): Promise<void> {
  const url = readUrl(handling.client, values.get("url") ?? "");
  const address: Address = { view: "page", url: url.href, from: 0 };
  let sent: Url | undefined;
  await dereferenced(exchange, handling, url, {}, async (resource) => {
    if (resource.kind !== "form") throw new Refusal(400, "There is no form at this URL.");
    sent = filled(resource, values);
  });
  if (!sent) return;
  const options = { allowForms: true };
  await dereferenced(exchange, handling, sent, options, (resource) =>
    showing(exchange, handling, address, resource),
  );
}

function showing(
  { links, events, reply }: Exchange,
  { client, maxTextBytes }: Handling,
  address: Address,
  resource: Resource,
): Promise<void> {
  return show(resource, { client, links, address, events, maxTextBytes }, reply);
}

/** One access, counted while it lasts, ended when the client goes away. */
async function dereferenced(
  { request, events }: Exchange,
  { client, admission, maxRawBytes }: Handling,
  url: Url,
  options: object,
  use: (resource: Resource) => Promise<void>,
): Promise<void> {
  const leave = admission.enter(request.client, url instanceof InternetUrl ? url.effectiveHost : url.scheme);
  if (!leave) throw new Refusal(503, "Too much is under way at the moment; please try again.");
  try {
    const resource = await client.dereference(url, {
      ...options,
      signal: request.signal,
      limits: { maxStreamBytes: maxRawBytes },
      transcript: (event) => {
        if (events.length < MAX_EVENTS) events.push(event);
      },
    });
    try {
      await use(resource);
    } finally {
      await resource.close();
    }
  } finally {
    leave();
  }
}

function redirect(reply: GatewayReply, client: Client, url: Url): void {
  reply.begin(303, { ...EVERY_REPLY, location: pathOf(client.format(url)), "content-length": "0" });
  reply.end();
}
