import type { Verdict } from "../beginning.ts";
import { bytesToLatin1 } from "../charset.ts";
import type { Answer } from "../item-types.ts";
import { type ErrorHead, judgeHead } from "./head.ts";

/** A line that is longer belongs to no error message. */
const MAX_LINE_BYTES = 1_024;

const MINUS = 0x2d;
const NO: Verdict<null> = { value: null, length: 0 };

/** Behind `--1`: the code, and who answers for the item. Gopher+, section 2.3. */
const CODE_LINE = /^\d+(?: [^\t]*)?\r?$/;
/** The same with an address, as every server that was seen writes it. */
const SIGNED_CODE_LINE = /^\d+ .*<[^<>]*>\r?$/;
/** What may stand behind `-1 <words>`, if anything. */
const LAST_LINE = /^(?:\.?\r?\n?)$/;

/**
 * The head of a Gopher+ error in the answer to a request of level 0, as UMN's gopherd sends it; `null` for the item itself. No line of
 * a menu is such a head; a text or a file has to go on as such errors do.
 */
export function judgeErrorHead(
  bytes: Uint8Array,
  ended: boolean,
  answer: Answer,
): Verdict<ErrorHead | null> | undefined {
  if (bytes.length === 0) return ended ? NO : undefined;
  if (bytes[0] !== MINUS) return NO;
  const verdict = judgeHead(bytes, ended);
  const head = verdict?.value;
  if (!verdict) return undefined;
  if (head?.sign !== "-") return NO;
  const rest = bytesToLatin1(bytes.subarray(verdict.length, verdict.length + MAX_LINE_BYTES));
  const found: Verdict<ErrorHead> = { value: head, length: verdict.length };
  if (head.words !== "") return answer === "menu" ? judgeAlone(rest, ended, found) : NO;
  const end = rest.indexOf("\n");
  if (end < 0 && !ended && rest.length < MAX_LINE_BYTES) return undefined;
  const line = end < 0 ? rest : rest.slice(0, end);
  if (answer === "menu") return line === "" || CODE_LINE.test(line) ? found : NO;
  return end >= 0 && SIGNED_CODE_LINE.test(line) ? found : NO;
}

/** A head with words is an error when nothing follows it but the line of one dot. */
function judgeAlone(
  rest: string,
  ended: boolean,
  found: Verdict<ErrorHead>,
): Verdict<ErrorHead | null> | undefined {
  if (!LAST_LINE.test(rest) || found.value.words.includes("\t")) return NO;
  return ended || rest.endsWith("\n") ? found : undefined;
}
