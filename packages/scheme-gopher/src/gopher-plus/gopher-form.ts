import type { FormField, FormValue } from "@anyscheme/core";
import type { KindSpecificResourceFields } from "@anyscheme/core/plugin";
import {
  type GopherSchemeName,
  type GopherUrl,
  replaceGopherPlusString,
  replaceSearchString,
} from "../syntax.ts";
import type { GopherAttributes } from "./attributes.ts";

/** A question of a Gopher+ form. */
export interface GopherFormField extends FormField {
  /**
   * The keyword of the +ASK block, as written by the server: `Note`, `Ask`, `AskP`, `AskL`, `AskF`, `Select`, `Choose`
   * or `ChooseF`. `""` for an unknown question and for a search. `AskF` requests the name of the local file for the
   * response. The client sends the value of `AskF` like any text.
   */
  readonly keyword: string;
}

/** The fields of a Gopher form, and the URL that submits it. */
export interface GopherForm<
  Name extends GopherSchemeName = GopherSchemeName,
> extends KindSpecificResourceFields<"form"> {
  readonly fields: readonly GopherFormField[];
  fill(values: Readonly<Record<string, FormValue>>): GopherUrl<Name>;
}

type GopherFormValues = Readonly<Record<string, FormValue>>;

const CRLF = "\r\n";
const SEARCH_FIELD_NAME = "words";

/** Returns the form of an item whose attributes have an +ASK block, else `undefined`. RFC 1738 §3.4.5. */
export function createGopherAskForm<Name extends GopherSchemeName>(
  item: GopherUrl<Name>,
  attributes: GopherAttributes,
): GopherForm<Name> | undefined {
  const fields = attributes.ask;
  return (
    fields && {
      title: attributes.item?.name,
      fields,
      fill: (values) => buildGopherFormSubmissionUrl(item, fields, values),
    }
  );
}

/** Returns the form of a search item, with one field for the search string. RFC 1738 §3.4.2. */
export function createGopherSearchForm<Name extends GopherSchemeName>(
  item: GopherUrl<Name>,
): GopherForm<Name> {
  return {
    title: undefined,
    fields: [{ keyword: "", name: SEARCH_FIELD_NAME, label: "Words to search for", kind: "text" }],
    fill({ [SEARCH_FIELD_NAME]: words = "", ...others }) {
      const [other] = Object.keys(others);
      if (other !== undefined) throw createUnknownFormFieldError(other);
      if (typeof words === "boolean")
        throw new TypeError(
          `invalid value for the field ${JSON.stringify(SEARCH_FIELD_NAME)}: the value must be text`,
        );
      return replaceSearchString(item, words);
    },
  };
}

/**
 * Returns the URL that submits the given values of a Gopher+ form. The Gopher+ string of the URL is
 * `+%091%0D%0A+-1%0D%0A`, the values, each with its line end, and `.%0D%0A`. RFC 1738 §3.4.9. Throws `TypeError` for an
 * unknown field name, a value of the wrong type, and a value that a form cannot contain.
 */
export function buildGopherFormSubmissionUrl<Name extends GopherSchemeName>(
  item: GopherUrl<Name>,
  fields: readonly GopherFormField[],
  values: GopherFormValues,
): GopherUrl<Name> {
  const fieldsByName = new Map(fields.map((field) => [field.name, field]));
  for (const name of Object.keys(values)) {
    const field = fieldsByName.get(name);
    if (!field) throw createUnknownFormFieldError(name);
    if (field.kind === "note") throw createFormFieldError(field, "a note accepts no value");
  }
  const lines = fields.flatMap((field) => {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    return encodeFormField(field, value ?? field.initialValue);
  });
  const block = [`+\t1${CRLF}+-1${CRLF}`, ...lines.flatMap((line) => [line, CRLF]), `.${CRLF}`];
  return replaceGopherPlusString(item, Buffer.concat(block.map((part) => Buffer.from(part as string))));
}

/** Returns the lines that submit the value of a form field, as text or bytes. Gopher+, section 2.8. */
function encodeFormField(
  field: GopherFormField,
  value: FormValue | undefined,
): readonly (string | Uint8Array)[] {
  switch (field.kind) {
    case "note":
      return [];
    case "switch":
      if (typeof (value ?? false) !== "boolean")
        throw createFormFieldError(field, "the value must be true or false");
      return [value === true ? "1" : "0"];
    case "choice": {
      const { choices = [] } = field;
      if (typeof value !== "string" || !choices.includes(value))
        throw createFormFieldError(field, `the value must be one of: ${choices.join(", ")}`);
      return [checkFormLine(field, value)];
    }
    case "long-text": {
      const lines = splitFormLines(field, value);
      return [String(lines.length), ...lines];
    }
    case "file": {
      if (!(value instanceof Uint8Array)) return splitFormLines(field, value);
      const latin1 = Buffer.from(value).toString("latin1");
      return splitFormLines(field, latin1).map((line) => Buffer.from(line, "latin1"));
    }
    default:
      return [checkFormLine(field, value ?? "")];
  }
}

/** Splits the value of a form field at LF or CR LF. A line end after the last line does not add an empty line. */
function splitFormLines(field: GopherFormField, value: FormValue | undefined): string[] {
  if (value === undefined || value === "") return [];
  if (typeof value !== "string") throw createFormFieldError(field, "the value must be text");
  const lines = value.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => checkFormLine(field, line));
}

/** Rejects a form value that contains a line end or NUL, and a value of a single dot, which would end the form. */
function checkFormLine(field: GopherFormField, value: FormValue): string {
  if (typeof value !== "string") throw createFormFieldError(field, "the value must be text");
  if (/[\r\n\0]/.test(value)) throw createFormFieldError(field, "the value must be one line without NUL");
  if (value === ".")
    throw createFormFieldError(
      field,
      "a line of the value must not be a single dot, which would end the form",
    );
  return value;
}

function createFormFieldError({ name }: GopherFormField, reason: string): TypeError {
  return new TypeError(`invalid value for the field ${JSON.stringify(name)}: ${reason}`);
}

function createUnknownFormFieldError(name: string): TypeError {
  return new TypeError(`the form has no field ${JSON.stringify(name)}`);
}

interface FormQuestionType {
  readonly kind: FormField["kind"];
  /**
   * The meaning of the tab-separated fields after the prompt: choices, or a default value. If undefined, the parser of
   * the +ASK block ignores the fields after the prompt.
   */
  readonly valuesAfterPrompt?: "initial" | "choices";
}

/** The keywords of an +ASK block, in lower case. Gopher+, section 2.8. */
const FORM_QUESTION_TYPES: ReadonlyMap<string, FormQuestionType> = new Map([
  ["note", { kind: "note" }],
  ["ask", { kind: "text", valuesAfterPrompt: "initial" }],
  ["askp", { kind: "password", valuesAfterPrompt: "initial" }],
  ["askl", { kind: "long-text", valuesAfterPrompt: "initial" }],
  ["askf", { kind: "text", valuesAfterPrompt: "initial" }],
  ["select", { kind: "switch", valuesAfterPrompt: "initial" }],
  ["choose", { kind: "choice", valuesAfterPrompt: "choices" }],
  ["choosef", { kind: "file" }],
]);

const FORM_QUESTION_LINE = /^\s*([A-Za-z]+):\s*([^\t]*)(?:\t(.*))?$/s;

/** Parses the lines of an +ASK block. An unknown question becomes a note, because the type of its value is unknown. */
export function parseAskBlock(lines: readonly string[]): GopherFormField[] {
  const names: FieldNames = { used: new Set(), nextNumberByLabel: new Map() };
  return lines.map((line) => {
    const [, keyword = "", label = "", rest] = FORM_QUESTION_LINE.exec(line) ?? [];
    const type = FORM_QUESTION_TYPES.get(keyword.toLowerCase());
    if (!type) return { keyword: "", kind: "note", name: createUniqueFieldName(line, names), label: line };
    const [initial, ...others] = rest?.split("\t") ?? [];
    const field = { keyword, kind: type.kind, name: createUniqueFieldName(label, names), label };
    if (type.valuesAfterPrompt === "choices")
      return { ...field, choices: initial === undefined ? [] : [initial, ...others], initialValue: initial };
    if (type.valuesAfterPrompt !== "initial" || initial === undefined) return field;
    return { ...field, initialValue: type.kind === "switch" ? initial.trim() === "1" : initial };
  });
}

/** The field names that the Gopher+ form already uses. */
interface FieldNames {
  readonly used: Set<string>;
  /** The smallest number that may follow the label in the next unique field name, by label. */
  readonly nextNumberByLabel: Map<string, number>;
}

/** Returns a unique field name: the label of the field, with a number if another field has the same name. */
function createUniqueFieldName(label: string, { used, nextNumberByLabel }: FieldNames): string {
  let name = label;
  if (used.has(name)) {
    // A numbered field name belongs to one label, so all searches for a unique name together test each name at most
    // once.
    let number = nextNumberByLabel.get(label) ?? 2;
    while (used.has((name = `${label} ${number}`))) number++;
    nextNumberByLabel.set(label, number + 1);
  }
  used.add(name);
  return name;
}
