import type { Plan } from "@anyscheme/core";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { parseLogin, parseWithLogin } from "../config/login.ts";
import { toPlanOptions } from "../args/option-values.ts";
import { selectSchemePackages, readSettings } from "../config/settings.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** Performs `plan`: no socket, no DNS. */
export async function plan({ operands, values: options }: CommandLine, io: CliIo): Promise<void> {
  const { values, ...settings } = readSettings(options, io);
  const login = parseLogin(values.user);
  const mode = values.strict ? "strict" : "tolerant";
  const { createClientForSchemes: composeClient } = await import("../client/create-client.ts");
  for (const text of operands) {
    const client = await composeClient(selectSchemePackages([text], settings.gateways), settings, io.host);
    const url = parseWithLogin(login, text, (written) => client.parse(written, { mode }));
    const plan = client.plan(url, toPlanOptions(values, url));
    await writeLines(io.stdout, values.json ? [jsonLine(plan)] : formatPlan(plan));
  }
}

/** The steps, numbered: action, section, text, and the reply that a step depends on. */
export function formatPlan({ steps }: Plan): string[] {
  const sections = steps.map(({ spec: section }) => section.replace(/^(RFC \d+ )?(?=\d+(?:\.\d+)*$)/, "$1§"));
  const width = Math.max(0, ...sections.map((section) => section.length));
  const digits = String(steps.length).length;
  return steps.map(({ action, description: text, onReply: when }, index) => {
    const number = String(index + 1).padStart(digits);
    const condition = when === undefined ? "" : ` (when ${when})`;
    return escapeControls(
      `${number}  ${action.padEnd(8)}  ${(sections[index] ?? "").padEnd(width)}  ${text}${condition}`,
    );
  });
}
