import type { Client, TraceEvent, Url } from "@anyscheme/core";
import { addressOf, pathOf } from "./address.ts";
import {
  checkMethod,
  namedIn,
  readUrl,
  searchParameters,
  targetOf,
  urlParameter,
  wantsPage,
  withoutLogin,
} from "./asked.ts";
import { checkHost, checkSite } from "./cross-site.ts";
import { EVERY_REPLY, PAGE } from "./headers.ts";
import { linksOf } from "./links.ts";
import type { GatewayReply, Handle } from "./message.ts";
import { detailsOf } from "./pages/details.ts";
import { failurePage } from "./pages/failure.ts";
import { homePage } from "./pages/home.ts";
import { STYLE } from "./pages/style.ts";
import { searchUrl } from "./search.ts";
import { type Exchange, serve, serveForm, type Serving } from "./serve.ts";
import { Refusal, statusOf } from "./status.ts";

/** What requests are handled with. */
export interface Handling extends Serving {
  /** The origins under which this gateway is known, as in `http://127.0.0.1:8070`; the first one is written into pages for proxies' clients. */
  readonly origins: readonly string[];
}

/** Answers requests, one reply for each, whatever happens. */
export function createHandle(handling: Handling): Handle {
  const { client } = handling;

  return async (request, reply) => {
    const { target, proxied } = targetOf(request.target, handling.origins);
    const links = linksOf(client, proxied, handling.origins[0] ?? "");
    const events: TraceEvent[] = [];
    let named = namedIn(target, proxied);
    try {
      checkMethod(request, target);
      checkHost(request, { target, proxied }, handling.origins);
      if (!proxied) checkSite(request, handling.origins);
      const exchange = { request, reply, target, proxied, links, events };
      if (target !== "/~form") return await answer(exchange, handling);
      const values = new URLSearchParams(await request.body());
      named = values.get("url") ?? undefined;
      await serveForm(exchange, handling, values);
    } catch (error) {
      if (reply.begun) return reply.cut();
      const status = statusOf(error);
      const retry =
        status === 503
          ? { "retry-after": "5" }
          : status === 405
            ? { allow: target === "/~form" ? "POST" : "GET, HEAD" }
            : {};
      reply.begin(status, { ...PAGE, ...retry });
      reply.end(
        failurePage(
          error,
          status,
          { own: links.own, url: named && withoutLogin(client, named) },
          detailsOf(undefined, events),
        ).markup,
      );
    }
  };
}

async function answer(exchange: Exchange, handling: Handling): Promise<void> {
  const { request, reply, target, proxied, links } = exchange;
  const { client } = handling;
  if (proxied)
    return serve(exchange, handling, { view: wantsPage(request) ? "page" : "raw", url: target, from: 0 });
  if (target === "/~style.css") {
    reply.begin(200, {
      ...EVERY_REPLY,
      "content-type": "text/css; charset=utf-8",
      "cache-control": "max-age=3600",
    });
    return reply.end(STYLE);
  }
  if (target === "/" || target === "/?") {
    reply.begin(200, PAGE);
    return reply.end(homePage(client.schemes, links.own).markup);
  }
  if (target.startsWith("/?")) return redirect(reply, client, readUrl(client, urlParameter(target)));
  if (target.startsWith("/~search?")) {
    const parameters = searchParameters(target);
    const url = readUrl(client, parameters.get("url") ?? "");
    return redirect(reply, client, readUrl(client, searchUrl(client.format(url), parameters.get("q") ?? "")));
  }
  const address = addressOf(target);
  if (!address)
    throw new Refusal(404, "There is nothing under this path; a URL is shown under /scheme/host/path.");
  return serve(exchange, handling, address);
}

function redirect(reply: GatewayReply, client: Client, url: Url): void {
  reply.begin(303, { ...EVERY_REPLY, location: pathOf(client.format(url)), "content-length": "0" });
  reply.end();
}
