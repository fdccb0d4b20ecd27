/** A command of a `console` block and its expected output. */
export interface Shown {
  /** The command without the prompt. Lines that end in a backslash are continued. */
  readonly command: string;
  readonly output: string;
}

/** Returns the commands of a `console` block, which follow a prompt, each with its expected output. */
export function commandsOf(text: string): Shown[] {
  const [before, ...parts] = `\n${text}`.split(/\n\$ /);
  if (before !== "")
    throw new Error(`a console block begins with "$ " and not with ${JSON.stringify(before)}`);
  return parts.map((part, index) => {
    const whole = index === parts.length - 1 ? part : `${part}\n`;
    const [command = ""] = /^(?:.*\\\n)*.*/.exec(whole) ?? [];
    return { command, output: whole.slice(command.length + 1) };
  });
}

/** Removes spaces at the ends of lines, and empty lines at the end of the text. */
export function seen(text: string): string {
  return text.replace(/[^\S\n]+$/gm, "").trimEnd();
}

/** True when the output matches the page. A line "…" matches any lines. */
export function matches(shown: string, output: string): boolean {
  const parts = `${seen(shown)}\n`.split(/^…\n/m).map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  return new RegExp(`^${parts.join("(?:.*\\n)*?")}$`).test(`${seen(output)}\n`);
}
