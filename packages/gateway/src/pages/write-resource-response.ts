import type { ContentResource, Resource, Url } from "@anyscheme/core";
import { getCharsetOrUtf8, type Range } from "@anyscheme/core/plugin";
import { decodeEncodedWords } from "@anyscheme/core/text";
import { GatewayHttpError } from "../http/errors.ts";
import {
  SECURITY_HEADERS_OF_EVERY_RESPONSE,
  SANDBOXED_RESPONSE_HEADERS,
  formatContentDisposition,
  type GatewayResponse,
  HTML_PAGE_HEADERS,
} from "../http/response.ts";
import { formatContentRange } from "../request/range-and-if-modified-since.ts";
import type { GatewayRequestContext, OpenedResource } from "../request/handle-dereference-request.ts";
import type { GatewayPath, ResourceViewName } from "../request/gateway-path.ts";
import { html, BufferedHtmlWriter, truncateText } from "./html.ts";
import {
  type PageLink,
  type PageLayoutOptions,
  renderPageBottom,
  renderPageTop,
  renderIncompletePageNotice,
} from "./page-layout.ts";
import { createBreadcrumbs } from "./link-builder.ts";
import { createNewsgroupAndReferenceLinks, getHeaderFieldsOfNewsArticle } from "./news-threads.ts";
import { renderPlanAndTrace } from "./plan-and-trace.ts";
import { renderResourceBody } from "./resource-body.ts";

/** The HTTP response and the options with which the gateway renders a resource. */
export interface ResourceRenderContext extends Pick<
  GatewayRequestContext,
  "response" | "client" | "linkBuilder" | "traceEvents" | "maxTextBytes" | "maxRawBytes"
> {
  /**
   * The URL of the submitted form. The page shows the URL of the form instead of the resource's own URL, which contains
   * the values of the form.
   */
  readonly submittedFormUrl?: Url | undefined;
  readonly gatewayPath: GatewayPath;
  /** The byte range of the content that the browser requests. Default: the whole content. */
  readonly range?: Range | undefined;
}

/**
 * Writes a resource as a complete HTTP response of the gateway. Throws only before the first byte of the response is
 * sent. A failure after the first byte adds a notice to the page or closes the connection.
 */
export async function writeResourceResponse(
  { resource, countAsDownload }: Pick<OpenedResource, "resource" | "countAsDownload">,
  context: ResourceRenderContext,
): Promise<void> {
  const { response, maxRawBytes } = context;
  if (resource.kind === "not-modified") {
    response.setHead(304, SECURITY_HEADERS_OF_EVERY_RESPONSE);
    return response.end();
  }
  if (resource.kind !== "content") return renderPage(resource, context);
  const representation = chooseRawContentHeaders(resource, context.gatewayPath.view);
  if (!representation) return renderPage(resource, context);
  if (resource.size !== undefined && resource.size > maxRawBytes)
    throw new GatewayHttpError(
      502,
      `The content is longer than ${maxRawBytes} bytes, the limit of this gateway.`,
    );
  if (!response.isHeadRequest) countAsDownload();
  const { status, headers } = createResponseHead(resource, representation, context);
  response.setHead(status, headers);
  if (response.isHeadRequest) return response.end();
  try {
    await writeContent(resource, response, maxRawBytes);
    response.end();
  } catch {
    // The status is already sent, so the gateway can only close the connection to report the failure.
    response.destroy();
  }
}

function createResponseHead(
  resource: ContentResource,
  { mediaType, disposition }: RawContentHeaders,
  { client, submittedFormUrl = resource.url, range }: ResourceRenderContext,
): { status: number; headers: Record<string, string> } {
  const { size, modified } = resource;
  const rangeHeader = range && formatContentRange(resource, range);
  const headers = {
    ...SANDBOXED_RESPONSE_HEADERS,
    "content-type": mediaType,
    "content-disposition": formatContentDisposition(
      disposition,
      getLastPathSegment(client.format(submittedFormUrl)),
    ),
    ...(rangeHeader !== undefined && { "content-range": rangeHeader }),
    ...(size !== undefined && { "content-length": String(size) }),
    ...(modified && { "last-modified": modified.toUTCString() }),
  };
  return { status: rangeHeader === undefined ? 200 : 206, headers };
}

/** Returns the last non-empty segment of a URL, whose segments end at "/" or "?". */
function getLastPathSegment(url: string): string {
  return url.split(/[/?]/).findLast((segment) => segment !== "") ?? "";
}

async function writeContent(
  resource: ContentResource,
  response: GatewayResponse,
  maxBytes: number,
): Promise<void> {
  let length = 0;
  for await (const chunk of resource) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the content is longer than ${maxBytes} bytes`);
    await response.write(chunk);
  }
}

async function renderPage(resource: Resource, context: ResourceRenderContext): Promise<void> {
  const { response, traceEvents, submittedFormUrl } = context;
  const body = renderResourceBody(resource, context);
  // The response can have an error status only if the first part of the body fails, so the first part is read
  // before the status is sent.
  const first = await body.next();
  response.setHead(200, HTML_PAGE_HEADERS);
  if (response.isHeadRequest) return response.end();
  const writer = new BufferedHtmlWriter(response);
  await writer.write(renderPageTop(createPageLayout(resource, context)));
  try {
    if (!first.done) await writer.write(first.value);
    for await (const part of body) await writer.write(part);
  } catch (error) {
    await writer.write(renderIncompletePageNotice(error));
  }
  const details = submittedFormUrl
    ? html``
    : renderPlanAndTrace(resource.plan, traceEvents, resource.redirectChain);
  await writer.write(renderPageBottom(details));
  writer.end();
}

/**
 * The maximum length of the title of a page. The breadcrumbs below the URL field show the whole name of the resource.
 */
const MAX_TITLE_LENGTH = 500;

function createPageLayout(
  resource: Resource,
  { client, linkBuilder, submittedFormUrl, gatewayPath }: ResourceRenderContext,
): PageLayoutOptions {
  const url = submittedFormUrl ?? resource.url;
  const article = getHeaderFieldsOfNewsArticle(resource);
  const viewLink = (text: string, view: ResourceViewName): PageLink => ({
    text,
    href: linkBuilder.formatUrlHref(url, view),
  });
  const hasViews = resource.kind === "content" && gatewayPath.view === "page" && !submittedFormUrl;
  const path = createBreadcrumbs(url, client, linkBuilder);
  return {
    title: truncateText(getPageTitle(resource, path), MAX_TITLE_LENGTH),
    url: client.format(url),
    breadcrumbs: path,
    otherViewLinks: hasViews ? [viewLink("view raw", "raw"), viewLink("download", "download")] : [],
    relatedLinks: article ? createNewsgroupAndReferenceLinks(article, client, linkBuilder) : [],
    formatGatewayHref: linkBuilder.formatGatewayHref,
  };
}

function getPageTitle(resource: Resource, path: readonly PageLink[]): string {
  if (resource.kind === "form" && resource.title) return resource.title;
  // For an article with an empty subject, the URL determines the title of the page.
  const { subject = "" } = getHeaderFieldsOfNewsArticle(resource) ?? {};
  return decodeEncodedWords(subject) || (path.at(-1)?.text ?? "");
}

/** The HTTP header fields that describe content that the gateway sends unchanged. */
interface RawContentHeaders {
  readonly mediaType: string;
  readonly disposition: "inline" | "attachment";
}

/** Matches media types that a browser can display and that contain no scripts. SVG may have scripts. */
const INLINE_MEDIA_TYPES =
  /^(?:image\/(?:gif|jpeg|png|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|audio\/[\w.+-]+|video\/[\w.+-]+)$/i;
const TEXT_MEDIA_TYPES =
  /^(?:text\/|message\/|application\/(?:json|xml|javascript|[\w.-]+\+(?:json|xml))$|image\/svg\+xml$)/i;

/**
 * Returns the media type and the disposition of content that is sent unchanged. Returns undefined for a text, which the
 * gateway shows inside an HTML page.
 */
function chooseRawContentHeaders(
  { mediaType }: ContentResource,
  view: ResourceViewName,
): RawContentHeaders | undefined {
  const essence = mediaType.replace(/;.*$/s, "").trim();
  const isText = TEXT_MEDIA_TYPES.test(essence);
  if (isText && view === "raw")
    return { mediaType: `text/plain; charset=${getCharsetOrUtf8(mediaType)}`, disposition: "inline" };
  if (isText && view !== "download") return undefined;
  if (INLINE_MEDIA_TYPES.test(essence) && view !== "download")
    return { mediaType: essence.toLowerCase(), disposition: "inline" };
  return { mediaType: "application/octet-stream", disposition: "attachment" };
}
