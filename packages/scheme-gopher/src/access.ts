import { AccessError } from "@anyscheme/core";
import {
  type AccessContext,
  type ByteSource,
  type ContentInit,
  decodeUtf8OrLatin1,
  serverText,
  type TlsOptions,
  type Completeness,
} from "@anyscheme/core/plugin";
import { percentDecode, percentEncode } from "@anyscheme/core/syntax";
import { requestResponse } from "@anyscheme/core/io";
import type { GopherAttributes } from "./gopher-plus/attributes.ts";
import { attributesForm, searchForm } from "./gopher-plus/form.ts";
import { parseReplyHeader } from "./gopher-plus/header.ts";
import { readAttributes, readItems } from "./gopher-plus/read-attributes.ts";
import { type MenuOrigin, menuOrigin } from "./menu/entry.ts";
import { MenuParser, readMenu } from "./menu/menu.ts";
import type { GopherRequestOptions } from "./options.ts";
import type { GopherPlan } from "./plan.ts";
import type { GopherResource } from "./resource.ts";
import { gopherPlusBody, plainBody, type ResponseBody } from "./response/body.ts";
import { readPrefix } from "./response/peek.ts";
import type { ExpectedResponse } from "./response/response-type.ts";
import { lookupItemType } from "./url/item-types.ts";
import type { GopherName, GopherUrl } from "./url/syntax.ts";

/** A response whose body has not been read. */
interface GopherResponse {
  readonly url: GopherUrl;
  readonly body: ResponseBody;
  /** True for a Gopher+ reply, which has a header. */
  readonly isGopherPlus: boolean;
  readonly origin: MenuOrigin;
}

/**
 * Sends the request of a plan and returns the resource of the response. Throws `no-content` and `unsupported` for
 * items that Gopher servers do not serve. Throws `not-found`, `permission-denied` or `unavailable` with the
 * server's own text.
 */
export async function accessGopher<Name extends GopherName>(
  plan: GopherPlan<Name>,
  context: AccessContext,
  options: GopherRequestOptions,
  tls: TlsOptions = {},
): Promise<GopherResource<Name>> {
  const { url, item, response: expected } = plan;
  if (!item || !expected) throw notServedError(url);
  if (expected.format === "search-form") return context.createResource("form", searchForm(url));
  const reader = await requestResponse(plan, context, tls);
  const header = url.plus === undefined ? null : await readPrefix(reader, parseReplyHeader);
  const body = header
    ? await gopherPlusBody(reader, header, context)
    : await plainBody(reader, item.format, context, options);
  const origin = menuOrigin(url, options.charset);
  const response: GopherResponse = { url, body, isGopherPlus: header !== null, origin };
  if (plan.selectsView) {
    const attributes = await readItemAttributes(response, context);
    return (await context.redirectTo(selectViewUrl(attributes, options), "view")) as GopherResource<Name>;
  }
  if (expected.format === "form") {
    const form = attributesForm(url, await readItemAttributes(response, context));
    if (form) return context.createResource("form", form);
    throw new AccessError("not-found", "the item has no form: its attributes have no block +ASK");
  }
  // A response without a header contains the item, because the server does not support Gopher+.
  return createResource(response, header ? expected : item, context, options);
}

function createResource(
  response: GopherResponse,
  { format, mediaType }: ExpectedResponse,
  context: AccessContext,
  options: GopherRequestOptions,
): Exclude<GopherResource, { kind: "form" }> {
  const { body, origin } = response;
  const { source, completeness, size } = body;
  const { limits } = context;
  const cancel = (): void => source.cancel();
  if (format === "menu") {
    const parser = new MenuParser(origin, limits.maxGopherLineBytes);
    const completenessAtEnd = (): Completeness => {
      if (parser.endReason === "dot") return "verified";
      return typeof completeness === "function" ? completeness() : completeness;
    };
    const entries = readMenu(source, parser, limits);
    return context.createDirectory({ entries, completeness: completenessAtEnd, cancel });
  }
  if (format === "items")
    return context.createDirectory({ entries: readItems(source, origin, limits), completeness, cancel });
  const content = context.createContent({ source, completeness, size, ...textOptions(mediaType, options) });
  if (format !== "attributes") return content;
  const attributes = async (): Promise<GopherAttributes> => {
    const source = createByteSource(await content.bytes());
    return readItemAttributes({ ...response, body: { ...body, source } }, context).catch((error: unknown) => {
      throw context.wrapError("read", error);
    });
  };
  return Object.assign(content, { attributes });
}

/** Reads the attributes of the requested item. Throws `unsupported` when the server does not support Gopher+. */
async function readItemAttributes(
  { url, body, isGopherPlus, origin }: GopherResponse,
  { limits }: AccessContext,
): Promise<GopherAttributes> {
  if (isGopherPlus) return readAttributes(body.source, url, origin, limits);
  throw new AccessError("unsupported", "the server does not support Gopher+: it sent the item itself");
}

function selectViewUrl(attributes: GopherAttributes, options: GopherRequestOptions): GopherUrl {
  const { url } = attributes.view(options) ?? {};
  if (url) return url;
  const available = attributes
    .views()
    .map(({ mediaType, language }) => (language === undefined ? mediaType : `${mediaType} ${language}`));
  const advice = ["the server offers ", serverText(available.join(", ") || "none")];
  throw new AccessError("not-found", "the item has no acceptable view", { advice });
}

/** Returns the media type and the decoder of a text. The option `charset` becomes part of the media type. */
function textOptions(
  mediaType: string,
  { charset }: GopherRequestOptions,
): Pick<ContentInit, "mediaType" | "decode"> {
  if (!mediaType.startsWith("text/")) return { mediaType };
  if (charset === undefined) return { mediaType, decode: decodeUtf8OrLatin1 };
  return { mediaType: `${mediaType}; charset=${charset}` };
}

function createByteSource(bytes: Uint8Array): ByteSource {
  return {
    read(onChunk) {
      onChunk(bytes);
      return Promise.resolve("end");
    },
    cancel: () => undefined,
  };
}

function notServedError(url: GopherUrl): AccessError {
  const { kind, notServed } = lookupItemType(url.itemType);
  const isSession = kind === "telnet" || kind === "tn3270";
  const login = url.selector ? `${percentEncode(percentDecode(url.selector))}@` : "";
  const advice = isSession ? `open ${kind}://${login}${url.host}:${url.effectivePort}/` : undefined;
  const { code = "no-content", reason = "the item has no content" } = notServed ?? {};
  return new AccessError(code, reason, { advice });
}
