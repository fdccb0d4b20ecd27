import type { Plan } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { CommandLine } from "../args/command-line.ts";
import { toPlanOptions } from "../args/option-values.ts";
import { createClientForSchemes } from "../client/create-client.ts";
import { selectSchemePackages } from "../client/scheme-packages.ts";
import { parseLogin, parseWithLogin } from "../config/login.ts";
import { readSettings } from "../config/settings.ts";
import { jsonLine } from "../output/json-line.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** Runs `plan`. Opens no socket and resolves no name. */
export async function plan({ operands, values: options }: CommandLine, io: CliIo): Promise<void> {
  const { values, ...settings } = readSettings(options, io);
  const login = parseLogin(values.user);
  const mode = values.strict ? "strict" : "tolerant";
  for (const text of operands) {
    const packages = selectSchemePackages([text], settings.gateways);
    const client = await createClientForSchemes(packages, settings, io.host);
    const url = parseWithLogin(login, text, (urlText) => client.parse(urlText, { mode }));
    const urlPlan = client.plan(url, toPlanOptions(values, url));
    await writeLines(io.stdout, values.json ? [jsonLine(urlPlan)] : formatPlan(urlPlan));
  }
}

/** Formats numbered steps: action, section, description, and the condition. */
export function formatPlan({ steps }: Plan): string[] {
  const sections = steps.map(({ spec }) => spec.replace(/^(RFC \d+ )?(?=\d+(?:\.\d+)*$)/, "$1§"));
  const width = Math.max(0, ...sections.map((section) => section.length));
  const digits = String(steps.length).length;
  return steps.map(({ action, description, onReply }, index) => {
    const number = String(index + 1).padStart(digits);
    const section = (sections[index] ?? "").padEnd(width);
    const condition = formatCondition(onReply);
    return escapeControls(`${number}  ${action.padEnd(8)}  ${section}  ${description}${condition}`);
  });
}

function formatCondition(onReply: string | undefined): string {
  if (onReply === undefined) return "";
  return /^\d{1,3}$/.test(onReply) ? ` (on reply ${onReply})` : ` (if ${onReply})`;
}
