import type { Step } from "@anyscheme/core";
import { connectSteps, expectStep, sendStep, tlsStep } from "@anyscheme/core/plugin";
import type { NntpUrl } from "../syntax.ts";
import { encodeCommand } from "./commands.ts";

const GREETING: Step = expectStep(
  ["200", "201"],
  "RFC 3977 5.1",
  "200 or 201, the greeting: the server takes commands",
);

const STARTTLS: readonly Step[] = [
  sendStep(encodeCommand("STARTTLS"), "RFC 4642 2.2", "STARTTLS"),
  expectStep(["382"], "RFC 4642 2.2", "382, the negotiation begins"),
];

const CAPABILITIES: readonly Step[] = [
  sendStep(encodeCommand("CAPABILITIES"), "RFC 3977 5.2", "CAPABILITIES"),
  expectStep(
    ["101", "480", "5"],
    "RFC 3977 5.2",
    "101, the capabilities follow up to a line of one dot; old servers know none",
  ),
];

/**
 * The steps that switch a server to reader mode. A server that can switch lists MODE-READER. An old server lists
 * nothing, and may reject the command.
 */
const MODE_READER: readonly Step[] = [
  ...modeReader("101 MODE-READER", ["200", "201"], "200 or 201, articles can be read"),
  ...modeReader(
    "5",
    ["200", "201", "480", "500", "501"],
    "200 or 201, articles can be read; 500 where there is but one mode",
  ),
];

function modeReader(onReply: string, expectReplies: readonly string[], description: string): Step[] {
  return [
    sendStep(encodeCommand("MODE READER"), "RFC 3977 5.3", "MODE READER", { onReply }),
    expectStep(expectReplies, "RFC 3977 5.3", description, onReply),
  ];
}

/**
 * Plans a new connection, until the server accepts commands. The client sends no command before 200 or 201 (RFC
 * 3977 §5.1).
 */
export function planConnect(server: NntpUrl, startTls: boolean): Step[] {
  const commands = [...CAPABILITIES, ...MODE_READER];
  if (server.scheme === "nntps")
    return [...connectSteps(server), tlsStep(server, "RFC 8143 2"), GREETING, ...commands];
  const upgrade = startTls ? [...STARTTLS, tlsStep(server, "RFC 4642 2.2")] : [];
  return [...connectSteps(server), GREETING, ...upgrade, ...commands];
}
