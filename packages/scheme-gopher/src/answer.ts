import { AccessError } from "@anyscheme/core";
import { type AccessContext, type ByteSource, serverText, type Completeness } from "@anyscheme/core/plugin";
import type { SocketReader } from "@anyscheme/core/io";
import { judgeBeginning } from "./beginning.ts";
import { dotted } from "./dotted.ts";
import { judgeErrorMessage } from "./level-zero.ts";
import type { Answer } from "./item-types.ts";
import type { GopherRequestOptions } from "./options.ts";
import { counted } from "./plus/counted.ts";
import { judgeErrorHead } from "./plus/error-head.ts";
import type { Head } from "./plus/head.ts";
import { gopherPlusError } from "./plus/refusal.ts";

/** The data of an answer, and what its regular end is worth. */
export interface Data {
  readonly source: ByteSource;
  readonly completeness: Completeness | (() => Completeness);
  readonly size?: number;
}

/**
 * The data of an answer without a head: it ends with the connection, a text perhaps with a dot before. RFC 1436, Appendix. Throws
 * an error message in the server's own words.
 */
export async function unframed(
  inflow: SocketReader,
  answer: Answer,
  context: AccessContext,
  options: GopherRequestOptions,
): Promise<Data> {
  const head = await judgeBeginning(inflow, (bytes, ended) => judgeErrorHead(bytes, ended, answer));
  if (head) return framed(inflow, head, context);
  const refusal = await judgeBeginning(inflow, judgeErrorMessage);
  if (refusal) {
    context.trace({ action: "receive", text: refusal.words });
    throw new AccessError(refusal.code, ["the server refuses: ", serverText(refusal.words)]);
  }
  if (answer !== "text") return { source: inflow, completeness: "unverified" };
  const text = dotted(inflow, { end: "close", undouble: options.doubledDots === "undo" });
  return { source: text, completeness: () => text.completeness };
}

/** The data of a Gopher+ reply, whose head says how it ends. Throws the error that it tells of. */
export async function framed(inflow: SocketReader, head: Head, context: AccessContext): Promise<Data> {
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
  const end = ending === "dot" || ending === "close" ? `up to the ${ending}` : `${ending} bytes`;
  return sign === "-" ? `an error, ${end}` : end;
}
