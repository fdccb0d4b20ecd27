import {
  AccessError,
  type AccessContext,
  type Completeness,
  type ContentResource,
  type DirectoryResource,
  type OctetSource,
  type Plan,
  type SecureOptions,
} from "@anyscheme/core";
import { decodeOctets, encode } from "@anyscheme/core/syntax";
import { exchange, type Inflow } from "@anyscheme/core/wire";
import { judgeBeginning } from "./beginning.ts";
import { dotted } from "./dotted.ts";
import type { GopherEntry } from "./entry.ts";
import { itemTypeOf } from "./item-types.ts";
import { judgeErrorMessage } from "./level-zero.ts";
import { entriesOf } from "./menu.ts";
import type { GopherCallOptions } from "./options.ts";
import { counted } from "./plus/counted.ts";
import { type Head, judgeHead } from "./plus/head.ts";
import { gopherPlusError } from "./plus/refusal.ts";
import { representationOf } from "./representation.ts";
import type { GopherUrl } from "./syntax.ts";

/** What a gopher URL gives: menus and search results are directories, all else is content. */
export type GopherResource = ContentResource | DirectoryResource<GopherEntry>;

/** The data of an answer, and what its regular end is worth. */
interface Data {
  readonly source: OctetSource;
  readonly completeness: Completeness | (() => Completeness);
  readonly size?: number;
}

/**
 * Performs the plan and says what came. Throws `no-data-object` and `unsupported` for items that no Gopher server answers, and
 * `not-found` or `unavailable` in the server's own words.
 */
export async function accessGopher(
  plan: Plan<GopherUrl>,
  context: AccessContext,
  options: GopherCallOptions,
  tls: SecureOptions = {},
): Promise<GopherResource> {
  const { url } = plan;
  const representation = representationOf(url);
  if (!representation) throw leadsElsewhere(url);
  const inflow = await exchange(plan, context, tls);
  const head = url.plus === undefined ? null : await judgeBeginning(inflow, judgeHead);
  const { answer, mediaType } = representation;
  const data = head
    ? await framed(inflow, head, context)
    : await unframed(inflow, answer === "text", context, options);
  if (answer !== "menu") return context.content({ ...data, mediaType });
  const origin = { scheme: url.scheme, host: url.effectiveHost, port: url.effectivePort };
  const entries = entriesOf(data.source, origin, context.limits);
  return context.directory({ entries, cancel: () => data.source.cancel() });
}

/** The data of an answer without a head: it ends with the connection, a text perhaps with a dot before. RFC 1436, Appendix. */
async function unframed(
  inflow: Inflow,
  isText: boolean,
  context: AccessContext,
  options: GopherCallOptions,
): Promise<Data> {
  const words = await judgeBeginning(inflow, judgeErrorMessage);
  if (words !== null) {
    context.trace({ action: "receive", text: words });
    throw new AccessError("not-found", `the server refuses: ${words}`);
  }
  if (!isText) return { source: inflow, completeness: "unverified" };
  const text = dotted(inflow, { end: "close", undouble: options.doubledDots === "undo" });
  return { source: text, completeness: () => text.completeness };
}

/** The data of a Gopher+ reply, whose head says how it ends. */
async function framed(inflow: Inflow, head: Head, context: AccessContext): Promise<Data> {
  const { ending } = head;
  context.trace({ action: "receive", text: `a Gopher+ reply, ${describe(head)}` });
  const upToDot = dotted(inflow, { end: "dot", undouble: false });
  if (head.sign === "-") {
    throw await gopherPlusError(ending === "dot" ? upToDot : inflow, head.words, context.limits);
  }
  if (ending === "dot") return { source: upToDot, completeness: () => upToDot.completeness };
  if (ending === "close") return { source: inflow, completeness: "unverified" };
  return { source: counted(inflow, ending), completeness: "verified", size: ending };
}

function describe({ sign, ending }: Head): string {
  const end = ending === "dot" || ending === "close" ? `up to the ${ending}` : `${ending} octets`;
  return sign === "-" ? `an error, ${end}` : end;
}

function leadsElsewhere(url: GopherUrl): AccessError {
  const { kind, refusal: [code, what] = ["no-data-object", "the item has no answer"] } = itemTypeOf(
    url.itemType,
  );
  const session = kind === "telnet" || kind === "tn3270";
  const login = url.selector ? `${encode(decodeOctets(url.selector))}@` : "";
  const advice = session ? `open ${kind}://${login}${url.host}:${url.effectivePort}/` : undefined;
  return new AccessError(code, what, { advice });
}
