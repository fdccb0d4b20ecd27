import type { Plan } from "@anyscheme/core";
import { fileRootOf, planOptionsOf } from "../option-values.ts";
import type { CommandLine } from "../command-line.ts";
import { ACCESSIBLE, accessRowOf } from "../schemes.ts";
import { type Io, writeLines } from "../terminal.ts";
import { visible } from "../visible.ts";

/** Performs `plan`: no socket, no DNS. */
export async function plan({ operands, values }: CommandLine, io: Io): Promise<void> {
  const { composeClient } = await import("../container.ts");
  for (const text of operands) {
    const row = accessRowOf(text);
    const client = await composeClient(row ? [row] : ACCESSIBLE, {
      fileRoot: fileRootOf(values),
      allowPorts: {},
    });
    const url = client.parse(text, { mode: values.strict ? "strict" : "tolerant" });
    const made = client.plan(url, planOptionsOf(values, url));
    await writeLines(io.stdout, values.json ? [JSON.stringify(made)] : planLines(made));
  }
}

/** The steps, numbered: action, section, text, and the reply that a step depends on. */
export function planLines({ steps }: Plan): string[] {
  const sections = steps.map(({ section }) => section.replace(/(?<=^|\s)(?=\d+(?:\.\d+)*$)/, "§"));
  const width = Math.max(0, ...sections.map((section) => section.length));
  const digits = String(steps.length).length;
  return steps.map(({ action, text, when }, index) => {
    const number = String(index + 1).padStart(digits);
    const condition = when === undefined ? "" : ` (when ${when})`;
    return visible(
      `${number}  ${action.padEnd(8)}  ${(sections[index] ?? "").padEnd(width)}  ${text}${condition}`,
    );
  });
}
