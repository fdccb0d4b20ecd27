import { computeEditDistance } from "./edit-distance.ts";
import { type OptionKind, type OptionTable, nonArrayObjectOptionKind } from "./option-kinds.ts";

export interface RequiredOptionsAndUnknownOptionAdvice {
  /** The names of the function's required options. Default: none. */
  readonly required?: readonly string[];
  /** Returns advice for an unknown option name, which may come from another library. */
  advice?(name: string): string | undefined;
}

const NO_REQUIRED_OPTIONS: RequiredOptionsAndUnknownOptionAdvice = {};

/**
 * Checks the options that were passed to a function. An option with the value `undefined` counts as absent. Throws a
 * `TypeError` that names the function, the option, the value and the expected kind. The message repeats an invalid
 * string only when the option kind allows it, because other strings may be secrets.
 */
export function checkOptions(
  of: string,
  given: unknown,
  table: OptionTable,
  init: RequiredOptionsAndUnknownOptionAdvice = NO_REQUIRED_OPTIONS,
): void {
  checkArgument(of, "options", given, nonArrayObjectOptionKind);
  const options = given as Record<string, unknown>;
  // The loop includes inherited options, which the code that uses the options reads too. A `for…in` loop allocates no
  // list of the option names.
  for (const name in options) {
    const kind = table[name];
    const value = options[name];
    // An inherited property of the table, such as `constructor`, is not an option kind.
    if (typeof kind?.accepts === "function") {
      if (value !== undefined && !kind.accepts(value)) throw createInvalidOptionError(of, name, value, kind);
    } else if (value !== undefined && Object.hasOwn(options, name)) {
      throw createUnknownOptionNameError(of, name, Object.keys(table), init);
    }
  }
  for (const name of init.required ?? []) {
    const kind = table[name];
    if (kind && options[name] === undefined) throw createInvalidOptionError(of, name, undefined, kind);
  }
}

/** Throws `TypeError` for an argument that its option kind does not accept. */
export function checkArgument(of: string, name: string, value: unknown, kind: OptionKind): void {
  if (!kind.accepts(value)) throw createInvalidOptionError(of, name, value, kind, "argument");
}

export function createUnknownOptionNameError(
  of: string,
  name: string,
  known: readonly string[],
  init: RequiredOptionsAndUnknownOptionAdvice = {},
): TypeError {
  const near = known.find((each) => areSimilarOptionNames(name, each));
  const hint = init.advice?.(name) ?? (near === undefined ? undefined : `did you mean "${near}"?`);
  const list =
    known.length > 0 ? `the options are ${known.map((each) => `"${each}"`).join(", ")}` : "it has no options";
  return new TypeError(`${of} has no option ${JSON.stringify(name)}: ${hint ?? list}`);
}

export function createInvalidOptionError(
  of: string,
  name: string,
  value: unknown,
  kind: OptionKind,
  noun: "option" | "argument" = "option",
): TypeError {
  const part = typeof value === "object" && value !== null ? kind.findNestedOptionFault?.(value) : undefined;
  if (part?.expectedKind)
    return createInvalidOptionError(of, name + part.place, part.value, part.expectedKind, noun);
  const place = `${of}: the ${noun} "${name}"`;
  if (part)
    return createUnknownOptionNameError(place, part.place.slice(1), part.knownNames ?? [], {
      advice: () => part.advice,
    });
  const shown = describeValue(value, kind.messagesMayShowValue);
  const other = kind.validTypes?.find((type) => shown.endsWith(` ${type}`));
  return new TypeError(
    `${place} has to be ${kind.expects}, and not ${other ? `another ${other}` : shown}${adviseOnValue(value, kind)}`,
  );
}

/** Returns the advice for a factory that was not called, and for a single value in the place of an array. */
function adviseOnValue(value: unknown, kind: OptionKind): string {
  if (typeof value === "function") return `; call it${value.name && `: ${value.name}()`}`;
  return kind.itemKind?.accepts(value) ? "; put it in an array" : "";
}

/**
 * Describes an invalid value for an error message. Shows a string only if `mayShowValue` is true, because a string may
 * be a secret.
 */
export function describeValue(value: unknown, mayShowValue: boolean = false): string {
  if (typeof value === "string")
    return mayShowValue && value.length <= 40 ? JSON.stringify(value) : "a string";
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint")
    return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

/**
 * True when two option names are similar, so that one may be a misspelling of the other. One name contains the other,
 * has the same letters in another order, or differs by at most one edit per three letters.
 */
export function areSimilarOptionNames(name: string, other: string): boolean {
  const [one, two] = [name.toLowerCase(), other.toLowerCase()];
  const shorter = Math.min(one.length, two.length);
  if (shorter > 3 && (one.includes(two) || two.includes(one))) return true;
  const sorted = [one, two].map((text) => text.split("").toSorted().join(""));
  if (sorted[0] === sorted[1]) return true;
  return computeEditDistance(one.slice(0, 40), two) <= Math.max(1, Math.floor(shorter / 3));
}
