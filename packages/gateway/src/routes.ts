import type { Client, TraceEvent, Url } from "@anyscheme/core";
import { createLinkBuilder } from "./pages/link-builder.ts";
import { renderPlanAndTrace } from "./pages/plan-and-trace.ts";
import {
  createContentRangeHeaderForError,
  getPageTextForError,
  getErrorPageTitle,
  getHttpStatusForError,
  GatewayHttpError,
} from "./http/errors.ts";
import type { GatewayRequestHandler } from "./http/http-server.ts";
import {
  SECURITY_HEADERS_OF_EVERY_RESPONSE,
  type GatewayResponse,
  HTML_PAGE_HEADERS,
  PLAIN_TEXT_HEADERS,
} from "./http/response.ts";
import { renderErrorPage, renderHomePage, STYLE_SHEET } from "./pages/page-layout.ts";
import { rejectWrongHostHeader, rejectCrossSiteRequest } from "./request/host-and-cross-site-checks.ts";
import { createSearchUrl } from "./request/create-url-from-form-values.ts";
import {
  acceptsHtml,
  checkGatewayRequestMethod,
  parseGatewayPathOrProxiedUrl,
  parseUrlRefusingLogin,
  getRequestedUrl,
  parseSearchFormParameters,
  formatErrorPageUrlUnlessItHasLogin,
  requireUrlParameter,
} from "./request/request-url.ts";
import { formatGatewayPath, parseGatewayPath } from "./request/gateway-path.ts";
import {
  handlePostedForm,
  handleDereferenceRequest,
  type GatewayRequestContext,
  type DereferenceRequestHandlerOptions,
} from "./request/handle-dereference-request.ts";

export interface GatewayRequestHandlerOptions extends DereferenceRequestHandlerOptions {
  /**
   * The web origins of the gateway itself, as in `http://127.0.0.1:8070`. On pages for proxy clients, links to the
   * gateway lead to the first origin.
   */
  readonly gatewayOrigins: readonly string[];
  /** Receives the errors that result in a response with the status 500. */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/**
 * Creates the function that responds to every HTTP request to the gateway. The response to a failed request is an error
 * page, or a line of text for a client that does not accept HTML.
 */
export function createGatewayRequestHandler(options: GatewayRequestHandlerOptions): GatewayRequestHandler {
  const { client, gatewayOrigins } = options;

  return async (request, response) => {
    const target = parseGatewayPathOrProxiedUrl(request.target, gatewayOrigins);
    const isForm = target.gatewayPathOrUrl === "/~form";
    const linkBuilder = createLinkBuilder(client, target.isProxyRequest, gatewayOrigins[0] ?? "");
    const traceEvents: TraceEvent[] = [];
    let urlText = getRequestedUrl(target);
    try {
      checkGatewayRequestMethod(request, target.gatewayPathOrUrl);
      rejectWrongHostHeader(request, target, gatewayOrigins);
      if (!target.isProxyRequest) rejectCrossSiteRequest(request, gatewayOrigins);
      const context = { ...options, request, response, ...target, linkBuilder, traceEvents };
      if (!isForm) return await handleRequest(context);
      const values = new URLSearchParams(await request.readBody());
      urlText = values.get("url") ?? undefined;
      await handlePostedForm(context, values);
    } catch (error) {
      const status = getHttpStatusForError(error);
      if (status === 500) void reportError(options.onError, error);
      if (response.headersSent) return response.destroy();
      const isPage = acceptsHtml(request);
      response.setHead(status, {
        ...(isPage ? HTML_PAGE_HEADERS : PLAIN_TEXT_HEADERS),
        ...createContentRangeHeaderForError(error),
        ...(status === 503 && { "retry-after": "5" }),
        ...(status === 405 && { allow: isForm ? "POST" : "GET, HEAD" }),
      });
      if (!isPage) return response.end(`${getErrorPageTitle(status)}: ${getPageTextForError(error)}\n`);
      const url = urlText && formatErrorPageUrlUnlessItHasLogin(client, urlText);
      const frame = { formatGatewayHref: linkBuilder.formatGatewayHref, url };
      response.end(renderErrorPage(error, status, frame, renderPlanAndTrace(undefined, traceEvents)).markup);
    }
  };
}

/** Calls `onError`. An error that `onError` throws, also later, does not change the response. */
async function reportError(onError: GatewayRequestHandlerOptions["onError"], error: unknown): Promise<void> {
  try {
    await onError?.(error);
  } catch {
    // An error in the caller's callback `onError` must not change the response.
  }
}

async function handleRequest(context: GatewayRequestContext): Promise<void> {
  const { client, request, response, gatewayPathOrUrl: target, isProxyRequest, linkBuilder } = context;
  if (isProxyRequest) {
    const view = acceptsHtml(request) ? "page" : "raw";
    return handleDereferenceRequest(context, { view, url: target, firstEntryIndex: 0 });
  }
  if (target === "/~style.css") {
    response.setHead(200, {
      ...SECURITY_HEADERS_OF_EVERY_RESPONSE,
      "content-type": "text/css; charset=utf-8",
      "cache-control": "max-age=3600",
    });
    return response.end(STYLE_SHEET);
  }
  if (target === "/" || target === "/?") {
    response.setHead(200, HTML_PAGE_HEADERS);
    return response.end(renderHomePage(client.schemes, linkBuilder.formatGatewayHref).markup);
  }
  if (target.startsWith("/?"))
    return redirectToUrl(response, client, parseUrlRefusingLogin(client, requireUrlParameter(target)));
  if (target.startsWith("/~search?")) {
    const parameters = parseSearchFormParameters(target);
    const url = client.format(parseUrlRefusingLogin(client, parameters.get("url") ?? ""));
    return redirectToUrl(
      response,
      client,
      parseUrlRefusingLogin(client, createSearchUrl(url, parameters.get("q") ?? "")),
    );
  }
  const gatewayPath = parseGatewayPath(target);
  if (!gatewayPath)
    throw new GatewayHttpError(404, "This path does not exist. URLs are shown under /scheme/host/path.");
  return handleDereferenceRequest(context, gatewayPath);
}

function redirectToUrl(response: GatewayResponse, client: Client, url: Url): void {
  response.setHead(303, {
    ...SECURITY_HEADERS_OF_EVERY_RESPONSE,
    location: formatGatewayPath(client.format(url)),
    "content-length": "0",
  });
  response.end();
}
