import type { Plan } from "@anyscheme/core";
import { connectSteps, makePlan, tlsStep, sendStep, step, type PlanOptions } from "@anyscheme/core/plugin";
import { decoderOf } from "./charset.ts";
import { withPlus } from "./item-url.ts";
import { itemTypeOf } from "./item-types.ts";
import type { GopherRequestOptions } from "./options.ts";
import { type Asked, representationOf } from "./representation.ts";
import { encodeRequest } from "./request.ts";
import type { GopherUrl } from "./syntax.ts";

/** What is transferred. RFC 1436, Appendix: "TextFile", "Menu" and "BinaryFile" entities; and what Gopher+ has besides. */
const TRANSFERS: Readonly<Record<Exclude<Asked, "words">, string>> = {
  text: "text up to the close, without a final line of one dot",
  menu: "a menu up to a line of one dot, or the close",
  bytes: "bytes up to the close",
  attributes: "attributes up to the close",
  items: "the attributes of all items up to the close",
  form: "attributes with the block +ASK, up to the close",
};

/** Whether the representation of an item has to be chosen among those that its server has. */
export function choosesView(url: GopherUrl, { accept, language }: GopherRequestOptions): boolean {
  return (accept !== undefined || language !== undefined) && url.plus === "+";
}

/**
 * One request and one answer on a connection of its own. RFC 1738 §3.4. Items that no Gopher server answers have a plan of
 * one `refer` step, and so has a search without words; a view that has to be chosen is referred to by the attributes of the item.
 * Throws `refused-characters`, and `TypeError` for a charset that is not known.
 */
export function planGopher<U extends GopherUrl>(
  url: U,
  options: PlanOptions & GopherRequestOptions = {},
): Plan<U> {
  if (options.charset !== undefined) decoderOf(options.charset);
  const { fields } = url;
  const chooses = choosesView(url, options);
  const request = encodeRequest(chooses ? withPlus(url, "!") : url, options);
  const asked = chooses ? "attributes" : representationOf(fields)?.answer;
  if (asked === undefined) {
    const [, what = ""] = itemTypeOf(url.itemType).refusal ?? [];
    return makePlan(url, [step("redirect", "RFC 1436 3.8", what)]);
  }
  if (asked === "words")
    return makePlan(url, [step("redirect", "3.4.2", "a search has to be told its words")]);
  const framed = fields.plus === undefined ? "" : "; or as the head of a Gopher+ reply says";
  return makePlan(url, [
    ...connectSteps(url),
    ...(url.scheme === "gophers" ? [tlsStep(url, "RFC 8446")] : []),
    sendStep(request.bytes, request.section, request.text, { secret: request.secret }),
    step("transfer", "RFC 1436 Appendix", TRANSFERS[asked] + framed),
    step("close", "RFC 1436 2", "by the server"),
    ...(chooses ? [step("redirect", "3.4.8", "to the view that suits best")] : []),
  ]);
}
