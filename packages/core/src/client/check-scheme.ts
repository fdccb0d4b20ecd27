import {
  areSimilarOptionNames,
  createInvalidOptionError,
  createUnknownOptionNameError,
} from "../options/check-options.ts";
import {
  arrayKind,
  callbackKind,
  enumKind,
  objectKind,
  type OptionKind,
  optionsObjectKind,
  type OptionTable,
  plainObjectKind,
  portKind,
  recordKind,
  stringKind,
} from "../options/option-kinds.ts";
import type { SchemeOperations } from "../scheme/operation.ts";
import type { Scheme } from "../scheme/scheme.ts";

const operationKind = objectKind("an operation: { plan, perform }", {
  plan: "function",
  perform: "function",
});

const OPERATION_KINDS: OptionTable<SchemeOperations> = {
  stat: operationKind,
  put: operationKind,
  delete: operationKind,
  mkdir: operationKind,
  rename: operationKind,
};

const requestOptionKind = objectKind("an option kind, such as booleanKind or enumKind()", {
  expects: "string",
  accepts: "function",
});

const SCHEME_KINDS: OptionTable<Scheme> = {
  name: stringKind,
  syntax: objectKind("a syntax, such as the return value of createGenericSyntax()", {
    schemes: "object",
    parse: "function",
    tryParse: "function",
  }),
  plan: callbackKind,
  access: callbackKind,
  portRange: enumKind("default", "unprivileged"),
  operations: optionsObjectKind(OPERATION_KINDS, "operations by name, as { put: { plan, perform } }"),
  additionalProtocolPorts: recordKind(portKind, "ports by protocol, as { nntps: 563 }"),
  requestOptions: recordKind(requestOptionKind, "option kinds by name, as { mood: stringKind }"),
  redirectSchemes: arrayKind(stringKind, 'scheme names, as ["http", "https"]'),
  crossOriginOptions: arrayKind(stringKind, "names of request options"),
  // The function `defaultLimits` checks the values.
  limits: plainObjectKind,
  supportedOptions: arrayKind(enumKind("range", "resume", "method", "cache"), "option names"),
};

/** The option kind of a scheme, which checks the fields that every scheme has. */
export const schemeObjectKind: OptionKind = objectKind("a scheme, such as the return value of http()", {
  name: "string",
  syntax: "object",
  plan: "function",
  access: "function",
});

export const schemeListOptionKind: OptionKind = arrayKind(schemeObjectKind, "schemes, as [http(), ftp()]");

/**
 * Checks the fields of a scheme. A scheme may have further fields, unless the name of a further field looks like a
 * misspelling. Throws `TypeError` with the name of the scheme and of the field.
 */
export function checkSchemeFields(scheme: Scheme): void {
  const of = `the scheme ${scheme.name}`;
  const known = Object.keys(SCHEME_KINDS);
  for (const name of Object.keys(scheme)) {
    if (!Object.hasOwn(SCHEME_KINDS, name) && known.some((each) => areSimilarOptionNames(name, each)))
      throw createUnknownOptionNameError(of, name, known);
  }
  for (const [name, kind] of Object.entries<OptionKind>(SCHEME_KINDS)) {
    const value: unknown = scheme[name as keyof Scheme];
    if (value !== undefined && !kind.accepts(value)) throw createInvalidOptionError(of, name, value, kind);
  }
}
