import { readFile } from "node:fs/promises";
import type { FormField, FormResource, FormValue } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import { FileReadError, UsageError } from "../errors/cli-errors.ts";
import { type CliIo, writeLinesToStderr } from "../terminal/cli-io.ts";

/** A function that prompts the user for one line. Rejects with `UsageError` if the user gives no answer. */
type AskUser = (question: string, echo?: boolean) => Promise<string>;

/**
 * Prompts the user for the value of every field of a form. An empty answer selects the default value from the
 * server. Rejects with `UsageError` if the process has no terminal.
 */
export async function askFormValues(
  { title, fields }: FormResource,
  io: CliIo,
  signal: AbortSignal,
): Promise<Readonly<Record<string, FormValue>>> {
  const ask: AskUser = async (question, echo = true) => {
    const answer = await io.ask(question, { echo, signal });
    signal.throwIfAborted();
    if (answer === undefined)
      throw new UsageError(
        "the form was not submitted: the terminal gave no answer; form does not read standard input; " +
          "to search without a terminal, use: anyscheme get URL%09WORDS",
        "form",
      );
    return answer;
  };
  const values: [name: string, value: FormValue][] = [];
  if (title !== undefined) writeLinesToStderr(io, [escapeControls(title)]);
  for (const field of fields) {
    const value = await askFormField(field, ask, io);
    if (value !== undefined) values.push([field.name, value]);
  }
  return Object.fromEntries(values);
}

async function askFormField(field: FormField, ask: AskUser, io: CliIo): Promise<FormValue | undefined> {
  const label = escapeControls(field.label);
  const { initialValue } = field;
  const hint =
    typeof initialValue === "string" && initialValue !== "" ? ` [${escapeControls(initialValue)}]` : "";
  switch (field.kind) {
    case "note":
      writeLinesToStderr(io, [label]);
      return undefined;
    case "password":
      return ask(`${label}: `, false);
    case "long-text":
      writeLinesToStderr(io, [`${label}${hint} (end the text with a line that contains only a dot)`]);
      return askTextLines(ask);
    case "switch":
      return askYesOrNo(`${label} (y/n) [${initialValue === true ? "y" : "n"}]: `, ask);
    case "choice":
      return askChoice(field, label, ask, io);
    case "file":
      return readFormFile(await ask(`${label} (file name): `));
    default:
      return (await ask(`${label}${hint}: `)) || undefined;
  }
}

async function askTextLines(ask: AskUser): Promise<string | undefined> {
  const lines: string[] = [];
  for (let line = await ask("> "); line !== "."; line = await ask("> ")) lines.push(`${line}\n`);
  return lines.length === 0 ? undefined : lines.join("");
}

async function askYesOrNo(question: string, ask: AskUser): Promise<boolean | undefined> {
  for (;;) {
    const answer = await ask(question);
    if (answer === "") return undefined;
    if (/^y(?:es)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
  }
}

/** Prompts the user for one of the choices. The user answers with the number or the text of a choice. */
async function askChoice(
  { choices = [], initialValue }: FormField,
  label: string,
  ask: AskUser,
  io: CliIo,
): Promise<string | undefined> {
  const rows = choices.map((choice, index) => `${String(index + 1).padStart(3)} ${escapeControls(choice)}`);
  writeLinesToStderr(io, [label, ...rows]);
  const initialNumber = choices.findIndex((choice) => choice === initialValue) + 1;
  for (;;) {
    const answer = await ask(`1–${choices.length}${initialNumber > 0 ? ` [${initialNumber}]` : ""}: `);
    if (answer === "") return undefined;
    const byNumber = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
    const chosen = choices.find((choice) => choice === answer) ?? byNumber;
    if (chosen !== undefined) return chosen;
  }
}

async function readFormFile(name: string): Promise<Uint8Array | undefined> {
  if (name === "") return undefined;
  try {
    return await readFile(name);
  } catch (error) {
    throw new FileReadError(name, error);
  }
}
