import type { Plan } from "@anyscheme/core";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { loginOf, parsedWith } from "../config/login.ts";
import { planOptionsOf } from "../args/option-values.ts";
import { rowsFor, settingsOf } from "../config/settings.ts";
import { type Io, writeLines } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** Performs `plan`: no socket, no DNS. */
export async function plan({ operands, values: options }: CommandLine, io: Io): Promise<void> {
  const { values, ...settings } = settingsOf(options, io);
  const login = loginOf(values.user);
  const mode = values.strict ? "strict" : "tolerant";
  const { composeClient } = await import("../client/create-client.ts");
  for (const text of operands) {
    const client = await composeClient(rowsFor([text], settings.gateways), settings, io.host);
    const url = parsedWith(login, text, (written) => client.parse(written, { mode }));
    const made = client.plan(url, planOptionsOf(values, url));
    await writeLines(io.stdout, values.json ? [jsonLine(made)] : planLines(made));
  }
}

/** The steps, numbered: action, section, text, and the reply that a step depends on. */
export function planLines({ steps }: Plan): string[] {
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
