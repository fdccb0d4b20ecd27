import type { FormField } from "@anyscheme/core/plugin";

/** A question of a Gopher+ form. */
export interface GopherField extends FormField {
  /**
   * The word of the +ASK block, as the server writes it: `Note`, `Ask`, `AskP`, `AskL`, `AskF`, `Select`, `Choose`, `ChooseF`.
   * `AskF` asks for the name of a file that the reader of the answer is to be saved to; it is sent like any text.
   */
  readonly word: string;
}

interface AskWord {
  readonly kind: FormField["kind"];
  /** What the fields behind the prompt are; without it they mean nothing. */
  readonly behind?: "initial" | "choices";
}

/** The words of an +ASK block, in lower case. Gopher+, section 2.8. */
const WORDS: Readonly<Record<string, AskWord>> = {
  note: { kind: "note" },
  ask: { kind: "text", behind: "initial" },
  askp: { kind: "password", behind: "initial" },
  askl: { kind: "long-text", behind: "initial" },
  askf: { kind: "text", behind: "initial" },
  select: { kind: "switch", behind: "initial" },
  choose: { kind: "choice", behind: "choices" },
  choosef: { kind: "file" },
};

const line = /^\s*([A-Za-z]+):\s*([^\t]*)(?:\t(.*))?$/s;

/**
 * The questions of an +ASK block, in their order. A line that is none is shown as a note, since nobody knows what its server
 * would want for an answer.
 */
export function fieldsOf(lines: readonly string[]): GopherField[] {
  const names = new Set<string>();
  return lines.map((text) => {
    const [, word = "", label = "", rest] = line.exec(text) ?? [];
    const known = WORDS[word.toLowerCase()];
    if (!known) return { word: "", kind: "note", name: freeName(text, names), label: text };
    const { kind, behind } = known;
    const values = rest?.split("\t") ?? [];
    const field = { word, kind, name: freeName(label, names), label };
    if (behind === "choices") return { ...field, choices: values, initial: values[0] };
    if (behind !== "initial" || values[0] === undefined) return field;
    return { ...field, initial: kind === "switch" ? values[0].trim() === "1" : values[0] };
  });
}

/** The label, with a number where another field has it already. */
function freeName(label: string, names: Set<string>): string {
  let name = label;
  for (let number = 2; names.has(name); number++) name = `${label} ${number}`;
  names.add(name);
  return name;
}
