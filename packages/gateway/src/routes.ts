import type { Client, TraceEvent, Url } from "@anyscheme/core";
import { createLinks } from "./pages/links.ts";
import { planAndTrace } from "./pages/plan-and-trace.ts";
import { errorStatus, HttpError } from "./http/errors.ts";
import type { RequestHandler } from "./http/http-server.ts";
import { COMMON_HEADERS, type GatewayResponse, PAGE_HEADERS } from "./http/response.ts";
import { errorPage, homePage, STYLE } from "./pages/layout.ts";
import { checkHost, checkSite } from "./request/cross-site.ts";
import { searchUrl } from "./request/forms.ts";
import {
  acceptsHtml,
  checkMethod,
  parseTarget,
  parseUrl,
  requestedUrl,
  searchParameters,
  urlForErrorPage,
  urlParameter,
} from "./request/request-url.ts";
import { formatRoute, parseRoute } from "./request/route.ts";
import { handleForm, handleUrl, type RequestContext, type UrlHandlerOptions } from "./request/handle-url.ts";

export interface HandlerOptions extends UrlHandlerOptions {
  /** The gateway's origins, as in `http://127.0.0.1:8070`. Pages for proxy clients link to the first one. */
  readonly origins: readonly string[];
}

/** Creates the function that responds to every request. A failed request gets an error page. */
export function createRequestHandler(options: HandlerOptions): RequestHandler {
  const { client, origins } = options;

  return async (request, response) => {
    const target = parseTarget(request.target, origins);
    const isForm = target.target === "/~form";
    const links = createLinks(client, target.isProxyRequest, origins[0] ?? "");
    const events: TraceEvent[] = [];
    let urlText = requestedUrl(target);
    try {
      checkMethod(request, target.target);
      checkHost(request, target, origins);
      if (!target.isProxyRequest) checkSite(request, origins);
      const context = { ...options, request, response, ...target, links, events };
      if (!isForm) return await handleRequest(context);
      const values = new URLSearchParams(await request.readBody());
      urlText = values.get("url") ?? undefined;
      await handleForm(context, values);
    } catch (error) {
      if (response.headersSent) return response.destroy();
      const status = errorStatus(error);
      response.setHead(status, {
        ...PAGE_HEADERS,
        ...(status === 503 && { "retry-after": "5" }),
        ...(status === 405 && { allow: isForm ? "POST" : "GET, HEAD" }),
      });
      const url = urlText && urlForErrorPage(client, urlText);
      const frame = { gatewayHref: links.gatewayHref, url };
      response.end(errorPage(error, status, frame, planAndTrace(undefined, events)).markup);
    }
  };
}

async function handleRequest(context: RequestContext): Promise<void> {
  const { client, request, response, target, isProxyRequest, links } = context;
  if (isProxyRequest) {
    const view = acceptsHtml(request) ? "page" : "raw";
    return handleUrl(context, { view, url: target, firstEntry: 0 });
  }
  if (target === "/~style.css") {
    response.setHead(200, {
      ...COMMON_HEADERS,
      "content-type": "text/css; charset=utf-8",
      "cache-control": "max-age=3600",
    });
    return response.end(STYLE);
  }
  if (target === "/" || target === "/?") {
    response.setHead(200, PAGE_HEADERS);
    return response.end(homePage(client.schemes, links.gatewayHref).markup);
  }
  if (target.startsWith("/?")) return redirect(response, client, parseUrl(client, urlParameter(target)));
  if (target.startsWith("/~search?")) {
    const parameters = searchParameters(target);
    const url = client.format(parseUrl(client, parameters.get("url") ?? ""));
    return redirect(response, client, parseUrl(client, searchUrl(url, parameters.get("q") ?? "")));
  }
  const route = parseRoute(target);
  if (!route) throw new HttpError(404, "This path does not exist. URLs are shown under /scheme/host/path.");
  return handleUrl(context, route);
}

function redirect(response: GatewayResponse, client: Client, url: Url): void {
  response.setHead(303, {
    ...COMMON_HEADERS,
    location: formatRoute(client.format(url)),
    "content-length": "0",
  });
  response.end();
}
