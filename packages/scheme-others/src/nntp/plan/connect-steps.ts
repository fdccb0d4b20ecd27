import type { Step } from "@anyscheme/core";
import { connectSteps, expectStep, tlsStep, sendStep } from "@anyscheme/core/plugin";
import { encodeCommand } from "./commands.ts";
import type { NntpUrl } from "../syntax.ts";

// Steps that are the same for every server are made once: a plan is made for every article.

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

/** Whoever lists MODE-READER can switch. Old servers, which list nothing, may have but one mode and not know the command. */
const MODE_READER: readonly Step[] = [
  ...modeReader("101 MODE-READER", ["200", "201"], "200 or 201, articles can be read"),
  ...modeReader(
    "5",
    ["200", "201", "480", "500", "501"],
    "200 or 201, articles can be read; 500 where there is but one mode",
  ),
];

function modeReader(when: string, accept: readonly string[], reply: string): Step[] {
  return [
    sendStep(encodeCommand("MODE READER"), "RFC 3977 5.3", "MODE READER", { onReply: when }),
    expectStep(accept, "RFC 3977 5.3", reply, when),
  ];
}

/** The opening of the server that was planned for last. */
let known:
  { readonly place: string; readonly startTls: boolean; readonly steps: readonly Step[] } | undefined;

/** From nothing to a server that takes commands. RFC 3977 §5: nothing is sent before 200 or 201. */
export function planConnect(server: NntpUrl, startTls: boolean): readonly Step[] {
  const { scheme, host, effectivePort } = server;
  const place = `${scheme}://${host}:${effectivePort}`;
  if (known?.place !== place || known.startTls !== startTls)
    known = { place, startTls, steps: openingOf(server, startTls) };
  return known.steps;
}

function openingOf(server: NntpUrl, startTls: boolean): Step[] {
  const commands = [...CAPABILITIES, ...MODE_READER];
  if (server.scheme === "nntps")
    return [...connectSteps(server), tlsStep(server, "RFC 8143 2"), GREETING, ...commands];
  const upgrade = startTls ? [...STARTTLS, tlsStep(server, "RFC 4642 2.2")] : [];
  return [...connectSteps(server), GREETING, ...upgrade, ...commands];
}
