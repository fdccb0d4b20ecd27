import { AccessError, type Client, type Resource, type TraceEvent, type Url } from "@anyscheme/core";
import { InternetUrl } from "@anyscheme/core/syntax";
import type { LinkBuilder } from "../pages/link-builder.ts";
import { MAX_STORED_TRACE_CHARACTERS, MAX_TRACE_EVENTS_ON_PAGE } from "../pages/plan-and-trace.ts";
import { GatewayHttpError } from "../http/errors.ts";
import type { GatewayRequest } from "../http/request.ts";
import type { GatewayResponse } from "../http/response.ts";
import type { ConcurrentRequestLimiter } from "./concurrent-request-limiter.ts";
import {
  checkRangeSatisfiable,
  parseRangeAndIfModifiedSince,
  type RangeAndIfModifiedSince,
} from "./range-and-if-modified-since.ts";
import { createUrlOfFilledForm } from "./create-url-from-form-values.ts";
import { parseUrlRefusingLogin, type GatewayPathOrProxiedUrl } from "./request-url.ts";
import { type GatewayPath, isRawOrDownloadView } from "./gateway-path.ts";
import { writeResourceResponse } from "../pages/write-resource-response.ts";

export interface DereferenceRequestHandlerOptions {
  readonly client: Client;
  readonly limiter: ConcurrentRequestLimiter;
  readonly maxTextBytes: number;
  readonly maxRawBytes: number;
}

/** One HTTP request to the gateway, with its response and the options of the gateway. */
export interface GatewayRequestContext extends GatewayPathOrProxiedUrl, DereferenceRequestHandlerOptions {
  readonly request: GatewayRequest;
  readonly response: GatewayResponse;
  readonly linkBuilder: LinkBuilder;
  /** The trace events of the request, which the page shows. */
  readonly traceEvents: TraceEvent[];
}

/** Dereferences a URL and writes the resource to the response. */
export async function handleDereferenceRequest(
  context: GatewayRequestContext,
  gatewayPath: GatewayPath,
): Promise<void> {
  const { client, request } = context;
  const url = parseUrlRefusingLogin(client, gatewayPath.url);
  const conditions = parseRangeAndIfModifiedSince(request, gatewayPath.view, url, client);
  // Only a page shows the trace of the request, and only a page may convert the line ends of a text.
  const isUnchanged = isRawOrDownloadView(gatewayPath.view);
  const options: OpenResourceOptions = isUnchanged ? { type: getBinaryFtpType(url) } : { isTraced: true };
  {
    const open = isUnchanged ? openResource : openFileOrFtpDirectory;
    await using opened = await open(context, url, { ...conditions, ...options });
    const { resource } = opened;
    checkRangeSatisfiable(resource, conditions);
    const isLengthUnknown = resource.kind === "content" && resource.size === undefined;
    if (!conditions.range || !isLengthUnknown)
      return await writeResourceResponse(opened, { ...context, ...conditions, gatewayPath });
  }
  // The header field Content-Range needs the length of the content. If that length is unknown, the gateway sends the
  // whole content instead of the requested range.
  await using opened = await openResource(context, url, options);
  await writeResourceResponse(opened, { ...context, gatewayPath });
}

/**
 * Returns the type of a binary transfer for an FTP URL that names a file and has no type. Without a type, the client
 * would guess the type (RFC 1738 §3.2.3), and convert the line ends of a text.
 */
function getBinaryFtpType(url: Url): "i" | undefined {
  return isFtpFileUrlWithoutType(url) ? "i" : undefined;
}

function isFtpFileUrlWithoutType(url: Url): boolean {
  const { name, type } = url.components();
  return url.scheme === "ftp" && type === undefined && typeof name === "string" && name !== "";
}

/**
 * Dereferences a URL. Opens a directory if the server has no file with the name in an FTP URL. A link to a directory,
 * and a URL that a user types, often have no final slash. If neither the file nor the directory of the FTP URL can be
 * opened, throws the error for the file.
 */
async function openFileOrFtpDirectory(
  context: GatewayRequestContext,
  url: Url,
  options: OpenResourceOptions,
): Promise<OpenedResource> {
  try {
    return await openResource(context, url, options);
  } catch (error) {
    const isMissing = error instanceof AccessError && error.code === "not-found";
    if (!isMissing || !isFtpFileUrlWithoutType(url)) throw error;
    try {
      return await openResource(context, context.client.parse(`${url.href}/`), options);
    } catch {
      throw error;
    }
  }
}

/**
 * Submits a form that was posted by a page of this gateway. The resulting page shows no form values, because a
 * value may be a password.
 */
export async function handlePostedForm(
  context: GatewayRequestContext,
  values: URLSearchParams,
): Promise<void> {
  const formUrl = parseUrlRefusingLogin(context.client, values.get("url") ?? "");
  const filledUrl = await fetchAndFillForm(formUrl, context, values);
  await using opened = await openResource(context, filledUrl, { allowForms: true });
  const gatewayPath: GatewayPath = { view: "page", url: formUrl.href, firstEntryIndex: 0 };
  await writeResourceResponse(opened, { ...context, gatewayPath, submittedFormUrl: formUrl });
}

async function fetchAndFillForm(
  formUrl: Url,
  context: GatewayRequestContext,
  values: URLSearchParams,
): Promise<Url> {
  await using opened = await openResource(context, formUrl, {});
  const { resource } = opened;
  if (resource.kind !== "form") throw new GatewayHttpError(400, "This URL has no form.");
  return createUrlOfFilledForm(resource, values);
}

interface OpenResourceOptions extends RangeAndIfModifiedSince {
  readonly isTraced?: boolean;
  /** The FTP transfer type. Default: the transfer type in the FTP URL, or a guess of the client. */
  readonly type?: "i" | undefined;
  readonly allowForms?: boolean;
}

/**
 * An open resource, whose request is counted as a page or a download. Disposal closes the resource, and the limiter no
 * longer counts the request.
 */
export interface OpenedResource extends AsyncDisposable {
  readonly resource: Resource;
  /**
   * Counts the request to the gateway as a download instead of a page. Throws `GatewayHttpError` if too many downloads
   * are running.
   */
  readonly countAsDownload: () => void;
}

/**
 * Dereferences a URL. Throws `GatewayHttpError` if too many requests are running. Aborts the request when the client
 * closes its connection.
 */
async function openResource(
  { client, limiter, request, traceEvents }: GatewayRequestContext,
  url: Url,
  { isTraced = false, type, allowForms, range, ifModifiedSince }: OpenResourceOptions,
): Promise<OpenedResource> {
  const host = url instanceof InternetUrl ? url.effectiveHost : url.scheme;
  const acquire = (kind: "page" | "download"): (() => void) => {
    const release = limiter.tryAcquire(kind, request.clientNetwork, host);
    if (!release)
      throw new GatewayHttpError(503, `The gateway serves too many ${kind}s at the moment. Try again later.`);
    return release;
  };
  let traceLength = 0;
  const trace = (event: TraceEvent): void => {
    if (traceEvents.length >= MAX_TRACE_EVENTS_ON_PAGE || traceLength > MAX_STORED_TRACE_CHARACTERS) return;
    traceLength += event.text.length;
    traceEvents.push(event);
  };
  const { signal } = request;
  let release = acquire("page");
  try {
    const requestOptions = {
      range,
      ifModifiedSince,
      // A client has the options `type` and `allowForms` only with schemes that declare them.
      ...(allowForms !== undefined && { allowForms }),
      ...(type !== undefined && { type }),
      signal,
      trace: isTraced ? trace : undefined,
    };
    const resource = await client.dereference(url, requestOptions);
    return {
      resource,
      countAsDownload() {
        const releasePage = release;
        release = acquire("download");
        releasePage();
      },
      async [Symbol.asyncDispose]() {
        try {
          await resource.close();
        } finally {
          release();
        }
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}
