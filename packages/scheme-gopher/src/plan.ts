import {
  connectSteps,
  makePlan,
  type Plan,
  type PlanOptions,
  secureStep,
  sendStep,
  step,
} from "@anyscheme/core";
import { type Answer, itemTypeOf } from "./item-types.ts";
import type { GopherCallOptions } from "./options.ts";
import { representationOf } from "./representation.ts";
import { encodeRequest } from "./request.ts";
import type { GopherUrl } from "./syntax.ts";

/** What is transferred. RFC 1436, Appendix: "TextFile", "Menu" and "BinaryFile" entities. */
const TRANSFERS: Readonly<Record<Answer, string>> = {
  text: "text up to the close, without a final line of one dot",
  menu: "a menu up to a line of one dot, or the close",
  octets: "octets up to the close",
};

/**
 * One request and one answer on a connection of its own. RFC 1738 §3.4. Items that no Gopher server answers have a plan of
 * one `refer` step. Throws `refused-octets`.
 */
export function planGopher<U extends GopherUrl>(
  url: U,
  options: PlanOptions & GopherCallOptions = {},
): Plan<U> {
  const request = encodeRequest(url, options);
  const representation = representationOf(url);
  if (!representation) {
    const [, what = ""] = itemTypeOf(url.itemType).refusal ?? [];
    return makePlan(url, [step("refer", "RFC 1436 3.8", what)]);
  }
  const framed = url.plus === undefined ? "" : "; or as the head of a Gopher+ reply says";
  return makePlan(url, [
    ...connectSteps(url),
    ...(url.scheme === "gophers" ? [secureStep(url, "RFC 8446")] : []),
    sendStep(request.octets, request.section, request.text, { secret: request.secret }),
    step("transfer", "RFC 1436 Appendix", TRANSFERS[representation.answer] + framed),
    step("close", "RFC 1436 2", "by the server"),
  ]);
}
