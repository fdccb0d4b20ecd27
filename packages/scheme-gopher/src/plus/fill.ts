import type { FormValue } from "@anyscheme/core/plugin";
import { withPlus } from "../item-url.ts";
import type { GopherName, GopherUrl } from "../syntax.ts";
import type { GopherField } from "./ask.ts";

const CRLF = "\r\n";

/** The lines that a field adds to the block, given as text or bytes. */
type Lines = readonly (string | Uint8Array)[];

/**
 * The URL that sends these answers: `+%091%0D%0A+-1%0D%0A`, the answers, each with its line end, and `.%0D%0A`. RFC 1738 §3.4.9.
 * Throws `TypeError` for a name that no field has, for an answer of the wrong kind, and for one that the block cannot hold.
 */
export function filledIn<Name extends GopherName>(
  item: GopherUrl<Name>,
  fields: readonly GopherField[],
  values: Readonly<Record<string, FormValue>>,
): GopherUrl<Name> {
  for (const name of Object.keys(values)) {
    const field = fields.find((each) => each.name === name);
    if (!field) throw new TypeError(`the form has no field ${JSON.stringify(name)}`);
    if (field.kind === "note") throw new TypeError(`the field ${JSON.stringify(name)} takes no answer`);
  }
  const lines = fields.flatMap((field) => {
    const own = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    return readLines(field, own ?? field.initial);
  });
  const bytes = lines.flatMap((line) => [Buffer.from(line as string), Buffer.from(CRLF)]);
  const block = Buffer.concat([Buffer.from(`+\t1${CRLF}+-1${CRLF}`), ...bytes, Buffer.from(`.${CRLF}`)]);
  return withPlus(item, block);
}

/** What a field adds to the block. Gopher+, section 2.8. */
function readLines(field: GopherField, value: FormValue | undefined): Lines {
  switch (field.kind) {
    case "note":
      return [];
    case "switch":
      if (typeof (value ?? false) !== "boolean") throw wrong(field, "takes true or false");
      return [value === true ? "1" : "0"];
    case "choice": {
      const { choices = [] } = field;
      if (typeof value !== "string" || !choices.includes(value))
        throw wrong(field, `takes one of: ${choices.join(", ")}`);
      return [oneLine(field, value)];
    }
    case "long-text": {
      const lines = textLines(field, value);
      return [String(lines.length), ...lines];
    }
    case "file":
      if (value instanceof Uint8Array)
        return textLines(field, Buffer.from(value).toString("latin1")).map(bytes);
      return textLines(field, value);
    default:
      return [oneLine(field, value ?? "")];
  }
}

function bytes(line: string): Uint8Array {
  return Buffer.from(line, "latin1");
}

/** The lines of a text, whatever their line ends; a last line end ends the last line. */
function textLines(field: GopherField, value: FormValue | undefined): string[] {
  if (value === undefined || value === "") return [];
  if (typeof value !== "string") throw wrong(field, "takes text");
  const lines = value.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => oneLine(field, line));
}

/** A line that leaves the block whole: it neither ends a line nor is the dot that ends the block. */
function oneLine(field: GopherField, value: FormValue): string {
  if (typeof value !== "string") throw wrong(field, "takes text");
  if (/[\r\n\0]/.test(value)) throw wrong(field, "takes one line, without NUL");
  if (value === ".") throw wrong(field, "takes no line of one dot, which would end the form");
  return value;
}

function wrong({ name }: GopherField, what: string): TypeError {
  return new TypeError(`the field ${JSON.stringify(name)} ${what}`);
}
