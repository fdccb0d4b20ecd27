/** The kind of values that an option accepts. */
export interface OptionKind {
  /** A description of valid values, which completes the sentence "the option x has to be …". */
  readonly expects: string;
  accepts(value: unknown): boolean;
  /**
   * True when an error message may repeat an invalid string. By default, error messages do not repeat invalid strings,
   * because a string may be a secret.
   */
  readonly messagesMayShowValue?: boolean;
  /**
   * The types of the option's valid values. If strings or objects can be valid, an error message calls an invalid one
   * "another string" or "another object". Default: none.
   */
  readonly validTypes?: readonly ("string" | "object")[];
  /**
   * The kind of the items of an option whose value is an array. `itemKind` is absent for an option whose value is no
   * array.
   */
  readonly itemKind?: OptionKind;
  /** Returns the part of an invalid option value that is wrong. Default: the whole value. */
  findNestedOptionFault?(value: object): NestedOptionFault | undefined;
}

/**
 * The wrong part of an invalid option value. `expectedKind` is the kind that this part should have. For an unknown
 * property of an option's object, `expectedKind` is absent and `knownNames` lists the known properties.
 */
export interface NestedOptionFault {
  readonly place: string;
  readonly expectedKind?: OptionKind | undefined;
  readonly value: unknown;
  readonly knownNames?: readonly string[];
  /** Advice for an unknown property whose name comes from another library. */
  readonly advice?: string | undefined;
}

/**
 * The kinds of a function's options by option name. The table has an entry for each property of the interface
 * `Options`.
 */
export type OptionTable<Options extends object = Record<string, unknown>> = {
  readonly [Name in keyof Options]-?: OptionKind;
};

export const booleanOptionKind: OptionKind = {
  expects: "true or false",
  accepts: (value) => typeof value === "boolean",
};
export const stringOptionKind: OptionKind = {
  expects: "a string",
  accepts: (value) => typeof value === "string",
};
export const callbackOptionKind: OptionKind = {
  expects: "a function",
  accepts: (value) => typeof value === "function",
};
export const dateOptionKind: OptionKind = {
  expects: "a valid Date",
  accepts: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
};

export const numberOptionKind: OptionKind = {
  expects: "a number",
  accepts: (value) => typeof value === "number",
};

/** The kind of an option whose value is an object and not an array. */
export const nonArrayObjectOptionKind: OptionKind = {
  expects: "an object",
  accepts: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** The kind of an option whose value is a number above 0, including `Infinity`. */
export const positiveNumberOptionKind: OptionKind = {
  expects: "a number above 0",
  accepts: (value) => typeof value === "number" && value > 0,
};

/**
 * The maximum duration of a timer, in milliseconds. Node.js fires a timer with a duration above 2³¹ − 1 ms at once.
 * <https://nodejs.org/api/timers.html>
 */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The kind of an option whose value is a time limit in milliseconds. */
export const positiveMillisecondsOptionKind: OptionKind = {
  expects: `a number above 0 and at most ${MAX_TIMER_MS}, or Infinity`,
  accepts: (value) => typeof value === "number" && value > 0 && (value <= MAX_TIMER_MS || value === Infinity),
};

/** The kind of a waiting time in milliseconds, which may be 0. */
export const millisecondsOptionKind: OptionKind = {
  expects: `a number from 0 to ${MAX_TIMER_MS}, or Infinity`,
  accepts: (value) => value === 0 || positiveMillisecondsOptionKind.accepts(value),
};

/**
 * Returns the kind of an option whose value is a whole number from `least` to `most`. With `unbounded`, the kind also
 * accepts `Infinity`.
 */
export function createIntegerOptionKind(
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
  unbounded: boolean = false,
): OptionKind {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  return {
    expects: `a whole number ${range}${unbounded ? ", or Infinity" : ""}`,
    accepts: (value) =>
      (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) ||
      (unbounded && value === Infinity),
  };
}

/** The kind of an option whose value is a port from 1 to 65535. */
export const portOptionKind: OptionKind = /* @__PURE__ */ createIntegerOptionKind(1, 65_535);

/** Returns the kind of an option whose value is one of the given strings. */
export function createEnumOptionKind(...values: readonly string[]): OptionKind {
  const quoted = values.map((value) => JSON.stringify(value));
  return {
    expects: [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter(Boolean).join(" or "),
    accepts: (value) => values.includes(value as string),
    messagesMayShowValue: true,
  };
}

/** The kind of certificates in PEM: a string or an array of strings. */
export const certificatesOptionKind: OptionKind = {
  expects: "certificates in PEM, as a string or an array of strings",
  accepts: (value) =>
    stringOptionKind.accepts(value) ||
    (Array.isArray(value) && value.every((each) => typeof each === "string")),
};

/**
 * Returns the kind of an array whose values are of one kind. `expects` names the array's values in the plural, for
 * error messages.
 */
export function createArrayOptionKind(kind: OptionKind, expects: string): OptionKind {
  return {
    expects: `an array of ${expects}`,
    itemKind: kind,
    accepts: (value) => Array.isArray(value) && value.every((item) => kind.accepts(item)),
    findNestedOptionFault(value) {
      if (!Array.isArray(value)) return undefined;
      const index = value.findIndex((item) => !kind.accepts(item));
      return { place: `[${index}]`, expectedKind: kind, value: value[index] };
    },
  };
}

/** Returns the kind of an object with any property names, whose values are of one kind. */
export function createRecordOptionKind(kind: OptionKind, expects: string): OptionKind {
  return {
    expects,
    accepts: (value) =>
      nonArrayObjectOptionKind.accepts(value) &&
      Object.values(value as object).every((item) => kind.accepts(item)),
    findNestedOptionFault(value) {
      if (Array.isArray(value)) return undefined;
      const [name, item] = Object.entries(value).find(([, each]) => !kind.accepts(each)) ?? [];
      return name === undefined ? undefined : { place: `.${name}`, expectedKind: kind, value: item };
    },
  };
}

/**
 * Returns the kind of an object whose properties are the options of a table. `adviceByName` has advice for the names of
 * options in other libraries.
 */
export function createOptionsOptionKind(
  table: OptionTable,
  expects: string,
  adviceByName: Readonly<Record<string, string>> = {},
): OptionKind {
  const isWrong = ([name, value]: readonly [string, unknown]): boolean =>
    !Object.hasOwn(table, name) || (value !== undefined && table[name]?.accepts(value) !== true);
  return {
    expects,
    accepts: (value) =>
      nonArrayObjectOptionKind.accepts(value) && !Object.entries(value as object).some(isWrong),
    findNestedOptionFault(value) {
      const [name, item] = Object.entries(value).find(isWrong) ?? [];
      if (name === undefined) return undefined;
      return {
        place: `.${name}`,
        expectedKind: Object.hasOwn(table, name) ? table[name] : undefined,
        value: item,
        knownNames: Object.keys(table),
        advice: Object.hasOwn(adviceByName, name) ? adviceByName[name] : undefined,
      };
    },
  };
}

/** Returns the kind of an option whose value is of one kind or of another kind. */
export function createEitherOptionKind(one: OptionKind, other: OptionKind): OptionKind {
  return {
    expects: `${one.expects}, or ${other.expects}`,
    accepts: (value) => one.accepts(value) || other.accepts(value),
    messagesMayShowValue: one.messagesMayShowValue === true || other.messagesMayShowValue === true,
    findNestedOptionFault: (value) =>
      one.findNestedOptionFault?.(value) ?? other.findNestedOptionFault?.(value),
  };
}

/**
 * Returns the kind of an option whose value is a function. `expects` describes the function for error messages, with an
 * example.
 */
export function createFunctionOptionKind(expects: string): OptionKind {
  return { ...callbackOptionKind, expects: `a function that ${expects}` };
}

/**
 * Returns the kind of an object that has properties of the given types. `expects` describes the object for error
 * messages.
 */
export function createDuckTypeOptionKind(
  expects: string,
  properties: Readonly<Record<string, "function" | "string" | "object" | "boolean">>,
): OptionKind {
  const entries = Object.entries(properties);
  return {
    expects,
    accepts: (value) =>
      nonArrayObjectOptionKind.accepts(value) &&
      entries.every(([name, type]) => typeof (value as Record<string, unknown>)[name] === type),
  };
}
