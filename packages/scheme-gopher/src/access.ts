import { AccessError, type Plan } from "@anyscheme/core";
import {
  type AccessContext,
  type ContentInit,
  type ByteSource,
  type TlsOptions,
  serverText,
  type Completeness,
} from "@anyscheme/core/plugin";
import { percentDecode, percentEncode } from "@anyscheme/core/syntax";
import { requestResponse } from "@anyscheme/core/io";
import { type Data, framed, unframed } from "./answer.ts";
import { judgeBeginning } from "./beginning.ts";
import { decodeUtf8OrLatin1 } from "./charset.ts";
import { type MenuOrigin, originOf } from "./entry.ts";
import { itemTypeOf } from "./item-types.ts";
import { entriesOf, MenuReader } from "./menu.ts";
import type { GopherRequestOptions } from "./options.ts";
import { choosesView } from "./plan.ts";
import { attributesOf, itemsOf } from "./plus/attribute-reader.ts";
import type { GopherAttributes } from "./plus/attributes.ts";
import { formOf, searchForm } from "./plus/form.ts";
import { judgeHead } from "./plus/head.ts";
import { itemRepresentation, type Representation, representationOf } from "./representation.ts";
import type { GopherResource } from "./resource.ts";
import type { GopherName, GopherUrl } from "./syntax.ts";

/** An answer, and how it is read. */
interface Answer {
  readonly url: GopherUrl;
  readonly data: Data;
  /** Whether it has the head of a Gopher+ reply. */
  readonly isReply: boolean;
  readonly origin: MenuOrigin;
}

/**
 * Performs the plan and says what came. Throws `no-content` and `unsupported` for items that no Gopher server answers, and
 * `not-found`, `permission-denied` or `unavailable` in the server's own words.
 */
export async function accessGopher<Name extends GopherName>(
  plan: Plan<GopherUrl<Name>>,
  context: AccessContext,
  options: GopherRequestOptions,
  tls: TlsOptions = {},
): Promise<GopherResource<Name>> {
  const { url } = plan;
  const { fields } = url;
  const item = itemRepresentation(fields);
  const asked = representationOf(fields, item);
  if (!item || !asked) throw leadsElsewhere(url);
  if (asked.answer === "words") return context.createResource("form", searchForm(url));
  const inflow = await requestResponse(plan, context, tls);
  const head = fields.plus === undefined ? null : await judgeBeginning(inflow, judgeHead);
  const data = head
    ? await framed(inflow, head, context)
    : await unframed(inflow, item.answer, context, options);
  const answer: Answer = { url, data, isReply: head !== null, origin: originOf(url, options.charset) };
  if (choosesView(url, options)) {
    const view = chosenView(await readAttributes(answer, context), options);
    return (await context.redirectTo(view, "view")) as GopherResource<Name>;
  }
  if (asked.answer === "form") {
    const form = formOf(url, await readAttributes(answer, context));
    if (form) return context.createResource("form", form);
    throw new AccessError("not-found", "the item has no form: there is no block +ASK among its attributes");
  }
  // What has no head comes from a server that knows no Gopher+, and is the item, whatever was asked of it.
  return opened(answer, head ? asked : item, context, options);
}

/** The resource of an answer that is read by the caller. */
function opened(
  answer: Answer,
  { answer: kind, mediaType }: Representation,
  context: AccessContext,
  options: GopherRequestOptions,
): Exclude<GopherResource, { kind: "form" }> {
  const { data, origin } = answer;
  const { source, completeness, size } = data;
  const { limits } = context;
  const cancel = (): void => source.cancel();
  if (kind === "menu") {
    const reader = new MenuReader(origin, limits.maxGopherLineBytes);
    const entries = entriesOf(source, reader, limits);
    const end = (): Completeness => (reader.ended === "dot" ? "verified" : endOf(data));
    return context.createDirectory({ entries, completeness: end, cancel });
  }
  if (kind === "items")
    return context.createDirectory({ entries: itemsOf(source, origin, limits), completeness, cancel });
  const content = context.createContent({ source, completeness, size, ...textType(mediaType, options) });
  if (kind !== "attributes") return content;
  const attributes = async (): Promise<GopherAttributes> => {
    const source = bytesSource(await content.bytes());
    return readAttributes({ ...answer, data: { ...data, source } }, context).catch((error: unknown) => {
      throw context.wrapError("read", error);
    });
  };
  return Object.assign(content, { attributes });
}

function endOf({ completeness }: Data): Completeness {
  return typeof completeness === "function" ? completeness() : completeness;
}

/** The attributes of the item that was asked for. Throws `unsupported` when its server knows no Gopher+. */
async function readAttributes(
  { url, data, isReply, origin }: Answer,
  { limits }: AccessContext,
): Promise<GopherAttributes> {
  if (isReply) return attributesOf(data.source, url, origin, limits);
  throw new AccessError("unsupported", "the server knows no Gopher+: what it sent is the item itself");
}

function chosenView(attributes: GopherAttributes, options: GopherRequestOptions): GopherUrl {
  const { url } = attributes.view(options) ?? {};
  if (url) return url;
  const offered = attributes
    .views()
    .map(({ mediaType, language }) => [mediaType, language].filter((each) => each !== undefined).join(" "));
  const advice = ["the server offers ", serverText(offered.join(", ") || "none")];
  throw new AccessError("not-found", "the item has no view that was asked for", { advice });
}

/** Of a text: how it is decoded; with a charset, in its media type too. */
function textType(
  mediaType: string,
  { charset }: GopherRequestOptions,
): Pick<ContentInit, "mediaType" | "decode"> {
  if (!mediaType.startsWith("text/")) return { mediaType };
  if (charset === undefined) return { mediaType, decode: decodeUtf8OrLatin1 };
  return { mediaType: `${mediaType}; charset=${charset}` };
}

function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    read(take) {
      take(bytes);
      return Promise.resolve("end");
    },
    cancel: () => undefined,
  };
}

function leadsElsewhere(url: GopherUrl): AccessError {
  const { kind, refusal: [code, what] = ["no-content", "the item has no answer"] } = itemTypeOf(url.itemType);
  const session = kind === "telnet" || kind === "tn3270";
  const login = url.selector ? `${percentEncode(percentDecode(url.selector))}@` : "";
  const advice = session ? `open ${kind}://${login}${url.host}:${url.effectivePort}/` : undefined;
  return new AccessError(code, what, { advice });
}
