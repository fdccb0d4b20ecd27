import { latin1Of, octetsOf, wordsOf } from "./charset.ts";
import type { Verdict } from "./beginning.ts";

/** An answer that is longer is no error message. */
const MAX_ERROR_BYTES = 4_096;

/** Hosts and ports that stand in the lines of a menu where no item is. */
const NOWHERE_HOST = "error.host";
const NOWHERE_PORTS: ReadonlySet<string> = new Set(["0", "1"]);

/**
 * Whether an answer without a head is nothing but an error message, which RFC 1436 §3.8 sends as a menu line of type 3 whatever
 * was asked for: its words, or `null` when it is the item itself. One line of three tabs that leads nowhere, perhaps followed by
 * information lines. Some servers give it the type 0 and the host `error.host`.
 */
export function judgeErrorMessage(octets: Uint8Array, ended: boolean): Verdict<string | null> | undefined {
  const no = { value: null, length: 0 };
  const begun = octets.length > 0;
  if (!begun) return ended ? no : undefined;
  if (octets.length > MAX_ERROR_BYTES || (octets[0] !== 0x33 && octets[0] !== 0x30)) return no;
  const text = latin1Of(octets);
  const [first = "", ...others] = text.split(/\r?\n/);
  if (others.length === 0 && !ended) return undefined;
  const words = errorWords(first);
  if (words === undefined || !others.every((line) => /^(?:i|\.?\r?$)/.test(line))) return no;
  return ended || /\n\.\r?\n/.test(text) ? { value: words, length: octets.length } : undefined;
}

function errorWords(line: string): string | undefined {
  const [text = "", , host, port = ""] = line.replace(/\r$/, "").split("\t");
  if (host === undefined) return undefined;
  const nowhere = host === NOWHERE_HOST || (text.startsWith("3") && NOWHERE_PORTS.has(port));
  return nowhere ? wordsOf(octetsOf(text.slice(1))) : undefined;
}
