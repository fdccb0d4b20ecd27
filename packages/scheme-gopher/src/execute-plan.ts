import {
  AccessError,
  type ContentResource,
  type DirectoryResource,
  type FormResource,
  type Completeness,
} from "@anyscheme/core";
import {
  type AccessContext,
  type ByteSource,
  type ContentInit,
  decodeUtf8OrLatin1,
  createMaskableServerText,
  type TlsOptions,
} from "@anyscheme/core/plugin";
import { percentDecode, percentEncode } from "@anyscheme/core/syntax";
import { connectAndSendRequest } from "@anyscheme/core/io";
import type { GopherAttributes } from "./gopher-plus/attributes.ts";
import { createGopherAskForm, type GopherForm, createGopherSearchForm } from "./gopher-plus/gopher-form.ts";
import { parseGopherPlusHeader } from "./gopher-plus/reply.ts";
import { readGopherAttributes, readAttributesOfAllItems } from "./gopher-plus/read-attributes.ts";
import { type GopherEntry, createGopherMenuContext } from "./menu/menu-entry.ts";
import { MenuParser, parseMenuStream } from "./menu/menu.ts";
import type { GopherRequestOptions } from "./scheme-options.ts";
import type { GopherPlan } from "./plan.ts";
import {
  decodeGopherPlusBody,
  decodePlainGopherBody,
  readResponsePrefix,
  type GopherResponseBody,
} from "./response/response-body.ts";
import {
  storeGopherResponseAtMenuEnd,
  storeGopherResponseAtBodyEnd,
  type RawGopherResponse,
  openCachedOrNewGopherResponse,
} from "./response/response-cache.ts";
import { type GopherFormatAndMediaType, lookupGopherItemTypeInfo } from "./item-types.ts";
import type { GopherSchemeName, GopherUrl } from "./syntax.ts";

/**
 * The attributes of an item, as text from the server and as parsed data. RFC 1738 §3.4.6, §3.4.7. A server without
 * Gopher+ sends the item instead of its attributes. The resource from a server without Gopher+ has no method
 * `attributes`.
 */
export interface GopherAttributesResource extends ContentResource {
  /** Reads the body and parses its Gopher+ attributes. */
  attributes(): Promise<GopherAttributes>;
}

/**
 * A form that the caller fills in: the questions of an item with the Gopher+ tag `?`, or the words of a search. RFC
 * 1738 §3.4.2, §3.4.5.
 */
export type GopherFormResource<Name extends GopherSchemeName = GopherSchemeName> = FormResource<
  GopherUrl<Name>
> &
  GopherForm<Name>;

/**
 * The resource of a gopher URL. Menus, search results and the attributes of all items of a menu are directories.
 * Gopher+ forms, and searches without a search string, have the kind `form`. Every other Gopher resource, such as a
 * text or an image, is a `ContentResource`. A Gopher+ string that begins with `!` requests attributes, which the method
 * `attributes` parses.
 */
export type GopherResource<Name extends GopherSchemeName = GopherSchemeName> =
  ContentResource | GopherAttributesResource | DirectoryResource<GopherEntry> | GopherFormResource<Name>;

/**
 * Sends the request of a plan and returns the resource of the response. Throws `no-content` and `unsupported` for
 * items that Gopher servers do not serve. Throws `not-found`, `permission-denied` or `unavailable` with the error
 * text of the server.
 */
export async function executeGopherPlan<Name extends GopherSchemeName>(
  plan: GopherPlan<Name>,
  context: AccessContext,
  requestOptions: GopherRequestOptions,
  tlsOptions: TlsOptions,
): Promise<GopherResource<Name>> {
  const { url, expectedResponse: expected } = plan;
  if (!expected) throw createUnservedItemError(url);
  if (expected.format === "search-form") return context.createResource("form", createGopherSearchForm(url));
  const response = await openCachedOrNewGopherResponse(plan, context, requestOptions, {
    ca: tlsOptions.ca,
    send: () => connectAndSendRequest(plan, context, tlsOptions),
  });
  try {
    return await readResponse(plan, context, requestOptions, response);
  } catch (error) {
    response.reader.cancel();
    throw error;
  }
}

/** Parses the beginning of a Gopher response, and returns the resource of the response. */
async function readResponse<Name extends GopherSchemeName>(
  plan: GopherPlan<Name>,
  context: AccessContext,
  requestOptions: GopherRequestOptions,
  { reader, commit }: RawGopherResponse,
): Promise<GopherResource<Name>> {
  const { url, expectedItem: item, expectedResponse: expected } = plan;
  if (!item || !expected) throw createUnservedItemError(url);
  const header = url.plus === undefined ? null : await readResponsePrefix(reader, parseGopherPlusHeader);
  const received = header
    ? await decodeGopherPlusBody(reader, header, context, {
        removeDoubledDots: expected.format === "text" && requestOptions.doubledDots === "undo",
      })
    : await decodePlainGopherBody(reader, item.format, context, requestOptions);
  const body = { ...received, source: storeGopherResponseAtBodyEnd(received.source, commit) };
  if (plan.selectsViewFirst || expected.format === "form") {
    if (!header)
      throw new AccessError("unsupported", "the server does not support Gopher+: it sent the item itself");
    const origin = createGopherMenuContext(url, requestOptions.charset);
    const attributes = await readGopherAttributes(body.source, url, origin, context.limits);
    if (plan.selectsViewFirst)
      return (await context.redirectTo(
        selectViewUrl(attributes, requestOptions),
        "view",
      )) as GopherResource<Name>;
    const form = createGopherAskForm(url, attributes);
    if (form) return context.createResource("form", form);
    throw new AccessError("not-found", "the item has no form: its attributes have no block +ASK");
  }
  // A response without a header contains the item, because the server does not support Gopher+.
  return createResource(url, { ...body, commit }, header ? expected : item, context, requestOptions);
}

function createResource(
  url: GopherUrl,
  { source, completeness, size, commit }: GopherResponseBody & Pick<RawGopherResponse, "commit">,
  { format, mediaType }: GopherFormatAndMediaType,
  context: AccessContext,
  requestOptions: GopherRequestOptions,
): Exclude<GopherResource, { kind: "form" }> {
  const { limits } = context;
  const { charset } = requestOptions;
  const cancel = (): void => source.cancel();
  if (format === "menu") {
    const parser = new MenuParser(createGopherMenuContext(url, charset), limits.maxGopherLineBytes);
    const completenessAtEnd = (): Completeness => {
      if (parser.endReason === "dot") return "verified";
      return typeof completeness === "function" ? completeness() : completeness;
    };
    const read = parseMenuStream(source, parser, limits);
    // A Gopher menu ends at its final dot, before the server closes the connection.
    const entries = commit ? storeGopherResponseAtMenuEnd(read, commit) : read;
    return context.createDirectory({ entries, completeness: completenessAtEnd, cancel });
  }
  if (format === "items") {
    const entries = readAttributesOfAllItems(source, createGopherMenuContext(url, charset), limits);
    return context.createDirectory({ entries, completeness, cancel });
  }
  const content = context.createContent({
    source,
    completeness,
    size,
    ...selectTextDecoding(mediaType, charset),
  });
  if (format !== "attributes") return content;
  const attributes = async (): Promise<GopherAttributes> => {
    const bytes = createMemoryByteSource(await content.bytes());
    return readGopherAttributes(bytes, url, createGopherMenuContext(url, charset), limits).catch(
      (error: unknown) => {
        throw context.wrapError("read", error);
      },
    );
  };
  return Object.assign(content, { attributes });
}

function selectViewUrl(attributes: GopherAttributes, requestOptions: GopherRequestOptions): GopherUrl {
  const { url } = attributes.view(requestOptions) ?? {};
  if (url) return url;
  const available = attributes
    .views()
    .map(({ mediaType, language }) => (language === undefined ? mediaType : `${mediaType} ${language}`));
  const advice = ["the server offers ", createMaskableServerText(available.join(", ") || "none")];
  throw new AccessError("not-found", "the item has no view that the options accept and language allow", {
    advice,
  });
}

/**
 * Returns the media type and the text decoder of a Gopher item. The option `charset` becomes part of the media type.
 */
function selectTextDecoding(
  mediaType: string,
  charset: string | undefined,
): Pick<ContentInit, "mediaType" | "decodeText"> {
  if (!mediaType.startsWith("text/")) return { mediaType };
  if (charset === undefined) return { mediaType, decodeText: decodeUtf8OrLatin1 };
  return { mediaType: `${mediaType}; charset=${charset}` };
}

function createMemoryByteSource(bytes: Uint8Array): ByteSource {
  return {
    readChunks(onChunk) {
      onChunk(bytes);
      return Promise.resolve("end");
    },
    cancel: () => undefined,
  };
}

function createUnservedItemError(url: GopherUrl): AccessError {
  const { kind, notServedError } = lookupGopherItemTypeInfo(url.itemType);
  const isSession = kind === "telnet" || kind === "tn3270";
  const login = url.selector ? `${percentEncode(percentDecode(url.selector))}@` : "";
  const advice = isSession ? `open ${kind}://${login}${url.host}:${url.effectivePort}/` : undefined;
  const { code = "no-content", reason = "the item has no content" } = notServedError ?? {};
  return new AccessError(code, reason, { advice });
}
