import type { FormField, FormResource, FormValue } from "@anyscheme/core/plugin";
import { readFile } from "node:fs/promises";
import { UsageError } from "../args/command-line.ts";
import { ReadError } from "../search/read-file.ts";
import { type CliIo, writeToStderr } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** Asks one line of the person; gives the form up when there is nobody, or no answer. */
type Ask = (question: string, echo?: boolean) => Promise<string>;

/**
 * Asks the person at the terminal every question of a form. An empty answer leaves a field to what the server proposes. Throws
 * `UsageError` when nobody answers.
 */
export async function askForm(
  { title, fields }: FormResource,
  io: CliIo,
  signal: AbortSignal,
): Promise<Readonly<Record<string, FormValue>>> {
  const ask: Ask = async (question, echo = true) => {
    const answer = await io.ask(question, { echo, signal });
    signal.throwIfAborted();
    if (answer === undefined)
      throw new UsageError("a form is filled in at a terminal, and nobody answered there", "form");
    return answer;
  };
  const values: [name: string, value: FormValue][] = [];
  if (title !== undefined) writeToStderr(io.stderr, [escapeControls(title)]);
  for (const field of fields) {
    const value = await askField(field, ask, io);
    if (value !== undefined) values.push([field.name, value]);
  }
  return Object.fromEntries(values);
}

async function askField(field: FormField, ask: Ask, io: CliIo): Promise<FormValue | undefined> {
  const label = escapeControls(field.label);
  const { initial } = field;
  const proposed = typeof initial === "string" && initial !== "" ? ` [${escapeControls(initial)}]` : "";
  switch (field.kind) {
    case "note":
      writeToStderr(io.stderr, [label]);
      return undefined;
    case "password":
      return ask(`${label}: `, false);
    case "long-text":
      writeToStderr(io.stderr, [`${label}${proposed} (a line of one dot ends it)`]);
      return askLines(ask);
    case "switch":
      return askYesOrNo(`${label} (y/n) [${initial === true ? "y" : "n"}]: `, ask);
    case "choice":
      return askChoice(field, label, ask, io);
    case "file":
      return readFormFile(await ask(`${label} (the name of a file): `));
    default:
      return (await ask(`${label}${proposed}: `)) || undefined;
  }
}

async function askLines(ask: Ask): Promise<string | undefined> {
  const lines: string[] = [];
  for (let line = await ask("> "); line !== "."; line = await ask("> ")) lines.push(`${line}\n`);
  return lines.length === 0 ? undefined : lines.join("");
}

async function askYesOrNo(question: string, ask: Ask): Promise<boolean | undefined> {
  for (;;) {
    const answer = await ask(question);
    if (answer === "") return undefined;
    if (/^y(?:es)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
  }
}

/** Takes the number of a choice, or the choice itself. */
async function askChoice(
  { choices = [], initial }: FormField,
  label: string,
  ask: Ask,
  io: CliIo,
): Promise<string | undefined> {
  writeToStderr(io.stderr, [
    label,
    ...choices.map((each, index) => `${String(index + 1).padStart(3)} ${escapeControls(each)}`),
  ]);
  const proposed = choices.findIndex((each) => each === initial) + 1;
  for (;;) {
    const answer = await ask(`1–${choices.length}${proposed > 0 ? ` [${proposed}]` : ""}: `);
    if (answer === "") return undefined;
    const chosen =
      choices.find((each) => each === answer) ?? choices[/^\d+$/.test(answer) ? Number(answer) - 1 : -1];
    if (chosen !== undefined) return chosen;
  }
}

async function readFormFile(name: string): Promise<Uint8Array | undefined> {
  if (name === "") return undefined;
  try {
    return await readFile(name);
  } catch (error) {
    throw new ReadError(name, error);
  }
}
