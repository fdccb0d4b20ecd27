import type { Plan } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { openCommandLineClient } from "../client/command-line-client.ts";
import { formatJsonLine } from "../output/json-line.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** Runs the command `plan`, which shows the protocol steps of a request. Opens no socket and resolves no host name. */
export async function runPlanCommand(line: CommandLineWithSchemes, io: CliIo): Promise<void> {
  const { operands, optionValues } = line;
  const [text = ""] = operands;
  // A plan sends no request, so the command opens no cache.
  const { cache: _cache, "gopher-ttl": _gopherTtl, ...planOptionValues } = optionValues;
  await using client = await openCommandLineClient({ ...line, optionValues: planOptionValues }, io);
  const steps = client.plan(client.parse(text));
  await writeLines(io.stdout, optionValues.json ? [formatJsonLine(steps)] : formatPlan(steps));
}

/** Formats the steps of a plan as numbered lines with action, section, description and reply condition. */
function formatPlan({ steps }: Plan): string[] {
  const sections = steps.map(({ spec }) => spec.replace(/^(RFC \d+ )?(?=\d+(?:\.\d+)*$)/, "$1§"));
  const width = Math.max(0, ...sections.map((section) => section.length));
  const digits = String(steps.length).length;
  return steps.map(({ action, description, onReply }, index) => {
    const number = String(index + 1).padStart(digits);
    const section = (sections[index] ?? "").padEnd(width);
    const condition = formatReplyCondition(onReply);
    return escapeControls(`${number}  ${action.padEnd(8)}  ${section}  ${description}${condition}`);
  });
}

function formatReplyCondition(onReply: string | undefined): string {
  if (onReply === undefined) return "";
  return /^\d{1,3}$/.test(onReply) ? ` (on reply ${onReply})` : ` (if ${onReply})`;
}
