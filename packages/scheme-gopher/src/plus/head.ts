import type { Verdict } from "../beginning.ts";
import { bytesToLatin1 } from "../charset.ts";

/** How the data of a Gopher+ reply ends: after so many bytes, with a line of one dot, or with the connection. */
export type Ending = number | "dot" | "close";

/** The first line of a Gopher+ reply that is an error; `words` is what stands in the head itself. */
export interface ErrorHead {
  readonly sign: "-";
  readonly ending: "dot" | "close";
  readonly words: string;
}

/** The first line of a Gopher+ reply. */
export type Head = { readonly sign: "+"; readonly ending: Ending } | ErrorHead;

/** A line that is longer is no head. */
const MAX_HEAD_BYTES = 1_024;

/** `+<bytes>`, `+-1`, `+-2`. */
const dataHead = /^\+(\d{1,15}|-1|-2)\r?\n/;
/** `--1`, `--2`; and, as one server writes it, `-<code> <words>`. */
const errorHead = /^-(-?\d[^\r\n]*)\r?\n/;
/** What may still become one of these. */
const unfinished = /^(?:\+-?\d*\r?|-(?:-?(?:\d[^\r\n]*\r?)?)?)$/;

/**
 * The head of a reply to a Gopher+ request; `null` for an answer without one, which comes from a server that knows no Gopher+
 * and is the item itself.
 */
export function judgeHead(bytes: Uint8Array, ended: boolean): Verdict<Head | null> | undefined {
  const text = bytesToLatin1(bytes.subarray(0, MAX_HEAD_BYTES));
  const [data, size] = dataHead.exec(text) ?? [];
  if (data !== undefined) return { value: { sign: "+", ending: endingOf(size) }, length: data.length };
  const [error, rest = ""] = errorHead.exec(text) ?? [];
  if (error !== undefined) {
    const [, ending, words] = /^(-[12](?= |$))?(.*)$/.exec(rest) ?? [];
    return {
      value: { sign: "-", ending: ending === "-1" ? "dot" : "close", words: words ?? "" },
      length: error.length,
    };
  }
  const more = !ended && bytes.length < MAX_HEAD_BYTES && (bytes.length === 0 || unfinished.test(text));
  return more ? undefined : { value: null, length: 0 };
}

function endingOf(size: string | undefined): Ending {
  if (size === "-1") return "dot";
  return size === "-2" ? "close" : Number(size);
}
