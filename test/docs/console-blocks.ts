/** A shell command in a `console` block of the documentation, and its expected output. */
export interface CommandWithExpectedOutput {
  /**
   * The shell command of the documentation, without the prompt "$ ". A backslash at the end of a line continues the
   * command.
   */
  readonly command: string;
  readonly expectedOutput: string;
}

/** Returns the commands of a `console` block, each with its expected output. The prompt "$ " begins a command. */
export function parseConsoleBlock(text: string): CommandWithExpectedOutput[] {
  const [before, ...parts] = `\n${text}`.split(/\n\$ /);
  if (before !== "")
    throw new Error(`a console block begins with "$ " and not with ${JSON.stringify(before)}`);
  return parts.map((part, index) => {
    const whole = index === parts.length - 1 ? part : `${part}\n`;
    const [command = ""] = /^(?:.*\\\n)*.*/.exec(whole) ?? [];
    return { command, expectedOutput: whole.slice(command.length + 1) };
  });
}

/** Removes spaces at the ends of lines, and empty lines at the end of an output. */
export function trimCommandOutput(text: string): string {
  return text.replace(/[^\S\n]+$/gm, "").trimEnd();
}

/**
 * Returns true when an output matches the expected output of the page. A line "…" in the expected output matches any
 * lines.
 */
export function matchesExpectedOutput(shown: string, output: string): boolean {
  const parts = `${trimCommandOutput(shown)}\n`
    .split(/^…\n/m)
    .map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  return new RegExp(`^${parts.join("(?:.*\\n)*?")}$`).test(`${trimCommandOutput(output)}\n`);
}
