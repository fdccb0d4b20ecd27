import { AccessError, createMaskableServerText } from "../../errors/access-error.ts";
import type { LimitValuesByName } from "../../policy/limits.ts";
import type { Step } from "../../scheme/plan.ts";
import { decodeBinaryStringToText } from "../../text/decode-bytes.ts";
import { replaceControls } from "../../text/escape-controls.ts";
import { LineScanner } from "../lines.ts";
import type { CommandReplyProtocolDefinition, Reply } from "./command-reply-connection-types.ts";

const NUMERIC_REPLY_LINE = /^([1-5]\d\d)(?: ([^]*))?$/;

/**
 * Parses a reply of one line, such as `250 ok`. Throws `protocol` for a line that is no reply. `name` is the name of
 * the protocol in the error message.
 */
export function parseSingleLineNumericReply(line: string, name: string): Reply {
  const [, code, text = ""] = NUMERIC_REPLY_LINE.exec(line) ?? [];
  if (code !== undefined) return { code, text };
  const reason = `the server does not speak ${name}: the server sent a line that is not a reply of ${name}`;
  throw new AccessError("protocol", reason);
}

/** Formats a reply as a single line without control characters. */
export function formatReceivedNumericReply({ code, text }: Reply): string {
  return replaceControls(decodeBinaryStringToText(`${code} ${text}`).trimEnd());
}

/**
 * The settings of {@link createNumericReplyProtocol}. These settings may replace all functions of the created protocol
 * except its parser and `formatReply`.
 */
export interface NumericReplyProtocolInit extends Partial<
  Omit<CommandReplyProtocolDefinition<Reply>, "createParser" | "formatReply">
> {
  /** The name of the protocol in messages, as in `"NNTP"`. */
  readonly name: string;
  /** The name of the limit for the length of a reply line, in bytes. Default `maxReplyLineBytes`. */
  readonly lineLimitName?: string | undefined;
}

/**
 * Creates a protocol whose replies are single lines with a code of three digits, as in NNTP (RFC 3977 §3.2) and DICT
 * (RFC 2229 §2.4). By default, an unexpected reply that begins with 4 has the error code `unavailable`, and any other
 * has the code `rejected`.
 */
export function createNumericReplyProtocol({
  name,
  lineLimitName = "maxReplyLineBytes",
  ...others
}: NumericReplyProtocolInit): CommandReplyProtocolDefinition<Reply> {
  return {
    createParser(limits) {
      const scanner = new LineScanner(limits as unknown as LimitValuesByName<string>, lineLimitName);
      return {
        push(bytes) {
          const { line, usedBytes } = scanner.push(bytes);
          return {
            reply: line === undefined ? undefined : parseSingleLineNumericReply(line, name),
            usedBytes,
          };
        },
        get partialReply() {
          return scanner.partialLine;
        },
      };
    },
    formatReply: formatReceivedNumericReply,
    createReplyError(reply: Reply, command: Step | undefined) {
      const what = `the server answered ${command?.description ?? "the connection"} with: `;
      const code = reply.code.startsWith("4") ? "unavailable" : "rejected";
      return new AccessError(code, [what, createMaskableServerText(formatReceivedNumericReply(reply))]);
    },
    ...others,
  };
}
