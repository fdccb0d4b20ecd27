import type { FormField } from "@anyscheme/core/plugin";

/** A question of a Gopher+ form. */
export interface GopherField extends FormField {
  /**
   * The keyword of the +ASK block, as written by the server. Values: `Note`, `Ask`, `AskP`, `AskL`, `AskF`,
   * `Select`, `Choose`, `ChooseF`. `AskF` requests the name of the local file for the response. The client sends
   * the value of `AskF` like any text.
   */
  readonly word: string;
}

interface QuestionType {
  readonly kind: FormField["kind"];
  /** The meaning of the fields after the prompt. If undefined, these fields are ignored. */
  readonly values?: "initial" | "choices";
}

/** The keywords of an +ASK block, in lower case. Gopher+, section 2.8. */
const QUESTION_TYPES: Readonly<Record<string, QuestionType>> = {
  note: { kind: "note" },
  ask: { kind: "text", values: "initial" },
  askp: { kind: "password", values: "initial" },
  askl: { kind: "long-text", values: "initial" },
  askf: { kind: "text", values: "initial" },
  select: { kind: "switch", values: "initial" },
  choose: { kind: "choice", values: "choices" },
  choosef: { kind: "file" },
};

const QUESTION = /^\s*([A-Za-z]+):\s*([^\t]*)(?:\t(.*))?$/s;

/** Parses the lines of an +ASK block. An unknown question becomes a note, because the type of its value is unknown. */
export function parseFormFields(lines: readonly string[]): GopherField[] {
  const names = new Set<string>();
  return lines.map((line) => {
    const [, word = "", label = "", rest] = QUESTION.exec(line) ?? [];
    const type = QUESTION_TYPES[word.toLowerCase()];
    if (!type) return { word: "", kind: "note", name: uniqueName(line, names), label: line };
    const [initial, ...others] = rest?.split("\t") ?? [];
    const field = { word, kind: type.kind, name: uniqueName(label, names), label };
    if (type.values === "choices")
      return { ...field, choices: initial === undefined ? [] : [initial, ...others], initial };
    if (type.values !== "initial" || initial === undefined) return field;
    return { ...field, initial: type.kind === "switch" ? initial.trim() === "1" : initial };
  });
}

/** Returns the label, with a number when another field already has that name. */
function uniqueName(label: string, names: Set<string>): string {
  let name = label;
  for (let number = 2; names.has(name); number++) name = `${label} ${number}`;
  names.add(name);
  return name;
}
