import type { Plan } from "@anyscheme/core";
import {
  bytesToLatin1,
  createResolveAndConnectSteps,
  createPlan,
  createSendStep,
  createStep,
  createTlsStep,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import type { GopherRequestOptions } from "./scheme-options.ts";
import { encodeGopherRequest } from "./request.ts";
import {
  predictItemFormatAndMediaType,
  predictFormatOnGopherPlusServer,
  type GopherFormatAndMediaType,
  type GopherItemFormat,
  lookupGopherItemTypeInfo,
  type GopherResponseFormat,
} from "./item-types.ts";
import { type GopherSchemeName, type GopherUrl, replaceGopherPlusString } from "./syntax.ts";

/** The plan of a Gopher request. RFC 1738 §3.4. */
export interface GopherPlan<Name extends GopherSchemeName = GopherSchemeName> extends Plan<GopherUrl<Name>> {
  /** The format and media type of the item. `undefined` for an item that Gopher servers do not serve. */
  readonly expectedItem: GopherFormatAndMediaType<GopherItemFormat> | undefined;
  /**
   * The expected response of a server with Gopher+. A server without Gopher+ responds to a Gopher+ request with the
   * item.
   */
  readonly expectedResponse: GopherFormatAndMediaType | undefined;
  /**
   * True when the client requests the attributes of the item first, in order to redirect to the best view. RFC 1738
   * §3.4.8.
   */
  readonly selectsViewFirst: boolean;
  /** The key of the response in a cache. A request with the values of a Gopher+ form has no cache key. */
  readonly cacheKey: string | undefined;
}

/**
 * The description of the transfer step for each response format. RFC 1436, Appendix: "TextFile", "Menu" and
 * "BinaryFile" entities, and the entities of Gopher+.
 */
const TRANSFER_DESCRIPTIONS: Readonly<Record<Exclude<GopherResponseFormat, "search-form">, string>> = {
  text: "the server sends a text until it closes; the client removes a final line of one dot",
  menu: "the server sends a menu up to a line of one dot, or until it closes",
  bytes: "the server sends bytes until it closes",
  attributes: "the server sends the attributes until it closes",
  items: "the server sends the attributes of all items until it closes",
  form: "the server sends the attributes with the block +ASK until it closes",
};

/**
 * Plans a request and its response on a separate connection. RFC 1738 §3.4. The plan of an item that Gopher servers do
 * not serve is a single `redirect` step, and so is the plan of a search without a search string. Throws
 * `refused-characters`.
 */
export function planGopher<Name extends GopherSchemeName>(
  url: GopherUrl<Name>,
  requestOptions: PlanOptions & GopherRequestOptions = {},
): GopherPlan<Name> {
  const { accept, language } = requestOptions;
  const { fields, plus } = url;
  const selectsViewFirst = (accept !== undefined || language !== undefined) && plus === "+";
  const request = encodeGopherRequest(
    selectsViewFirst ? replaceGopherPlusString(url, "!") : url,
    requestOptions,
  );
  const expectedItem = predictItemFormatAndMediaType(fields);
  const expectedResponse = expectedItem && predictFormatOnGopherPlusServer(fields, expectedItem);
  const cacheKey = request.containsFormValues ? undefined : createCacheKey(url, request.bytes);
  const planFields = { expectedItem, expectedResponse, selectsViewFirst, cacheKey };
  if (!expectedResponse) {
    const { reason = "" } = lookupGopherItemTypeInfo(url.itemType).notServedError ?? {};
    return createPlan(url, [createStep("redirect", "RFC 1436 3.8", reason)], planFields);
  }
  const { format } = expectedResponse;
  if (format === "search-form")
    return createPlan(
      url,
      [createStep("redirect", "3.4.2", "to a form for the search string, which the URL does not contain")],
      planFields,
    );
  const transfer = TRANSFER_DESCRIPTIONS[selectsViewFirst ? "attributes" : format];
  const gopherPlusEnd = plus === undefined ? "" : "; or up to the end that a Gopher+ header states";
  const steps = [
    ...createResolveAndConnectSteps(url),
    ...(url.scheme === "gophers" ? [createTlsStep(url, "RFC 8446")] : []),
    createSendStep(request.bytes, request.rfcSection, request.description, {
      secret: request.containsFormValues,
    }),
    createStep("transfer", "RFC 1436 Appendix", transfer + gopherPlusEnd),
    createStep("close", "RFC 1436 2", "by the server"),
    ...(selectsViewFirst ? [createStep("redirect", "3.4.8", "to the best view")] : []),
  ];
  return createPlan(url, steps, planFields);
}

/** Returns a key with the server and the bytes of the request. */
function createCacheKey({ scheme, effectiveHost, effectivePort }: GopherUrl, request: Uint8Array): string {
  return `${scheme}://${effectiveHost}:${effectivePort}/${encodeURIComponent(bytesToLatin1(request))}`;
}
