import {
  areSimilarOptionNames,
  createInvalidOptionError,
  createUnknownOptionNameError,
} from "../options/check-options.ts";
import {
  booleanOptionKind,
  createArrayOptionKind,
  callbackOptionKind,
  createEnumOptionKind,
  createDuckTypeOptionKind,
  type OptionKind,
  createOptionsOptionKind,
  type OptionTable,
  nonArrayObjectOptionKind,
  portOptionKind,
  createRecordOptionKind,
  stringOptionKind,
} from "../options/option-kinds.ts";
import type { OptionalSchemeOperations } from "../scheme/operation.ts";
import type { Scheme } from "../scheme/scheme.ts";

const operationOptionKind = createDuckTypeOptionKind("an operation: { plan, perform }", {
  plan: "function",
  perform: "function",
});

const OPERATION_KINDS: OptionTable<OptionalSchemeOperations> = {
  stat: operationOptionKind,
  put: operationOptionKind,
  delete: operationOptionKind,
  mkdir: operationOptionKind,
  rename: operationOptionKind,
};

const requestOptionKind = createDuckTypeOptionKind(
  "an option kind, such as booleanOptionKind or createEnumOptionKind()",
  {
    expects: "string",
    accepts: "function",
  },
);

const SCHEME_KINDS: OptionTable<Scheme> = {
  name: stringOptionKind,
  syntax: createDuckTypeOptionKind("a syntax, such as the return value of createGenericSyntax()", {
    schemes: "object",
    parse: "function",
    tryParse: "function",
  }),
  plan: callbackOptionKind,
  access: callbackOptionKind,
  portRange: createEnumOptionKind("default", "unprivileged"),
  operations: createOptionsOptionKind(OPERATION_KINDS, "operations by name, as { put: { plan, perform } }"),
  additionalProtocolPorts: createRecordOptionKind(portOptionKind, "ports by protocol, as { nntps: 563 }"),
  requestOptions: createRecordOptionKind(
    requestOptionKind,
    "option kinds by name, as { mood: stringOptionKind }",
  ),
  redirectSchemes: createArrayOptionKind(stringOptionKind, 'scheme names, as ["http", "https"]'),
  acceptsRedirects: booleanOptionKind,
  crossOriginOptions: createArrayOptionKind(stringOptionKind, "names of request options"),
  // The function `mergeDefaultLimitsOfSchemes` checks the values of the limits.
  limits: nonArrayObjectOptionKind,
  supportedOptions: createArrayOptionKind(
    createEnumOptionKind("range", "resume", "method", "cache"),
    "option names",
  ),
};

/** The option kind of a scheme, which checks the fields that every scheme has. */
export const schemeInstanceOptionKind: OptionKind = createDuckTypeOptionKind(
  "a scheme, such as the return value of http()",
  {
    name: "string",
    syntax: "object",
    plan: "function",
    access: "function",
  },
);

export const schemeObjectArrayOptionKind: OptionKind = createArrayOptionKind(
  schemeInstanceOptionKind,
  "schemes, as [http(), ftp()]",
);

/**
 * Checks the fields of a scheme object that a program passes to a client. A scheme may have further fields whose names
 * do not look like misspellings. Throws `TypeError` with the name of the scheme and of the field.
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
