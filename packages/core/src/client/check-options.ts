import type { Scheme } from "../scheme/scheme.ts";
import { unknownOption, wrongOption } from "../options/check-options.ts";
import type { OptionKind, OptionTable } from "../options/option-kinds.ts";
import { ADVICE, CALL_OPTIONS } from "./options.ts";

/**
 * Checks a request's options against the tables of client, method and schemes. `scheme` is the scheme of the URL.
 * Throws `TypeError`.
 */
export type CheckCall = (
  method: string,
  options: object,
  scheme: string,
  methodOptions?: OptionTable,
) => void;

/**
 * Creates the option check of a client. The check accepts options of all the client's schemes: programs may pass the
 * same options for every URL. A scheme without an option table accepts any name.
 */
export function createCheckCall(schemes: readonly Scheme[]): CheckCall {
  const tables = new Map(
    schemes.map(({ name, requestOptions }) => [name.toLowerCase(), requestOptions as OptionTable]),
  );
  const others = [...tables.values()].filter((table) => table !== undefined);

  return (method, options, scheme, methodOptions = {}) => {
    const table = tables.get(scheme);
    for (const name of Object.keys(options)) {
      const value = (options as Record<string, unknown>)[name];
      const kind = row(CALL_OPTIONS, name) ?? row(methodOptions, name) ?? (table && row(table, name));
      if (kind) {
        if (value !== undefined && !kind.accepts(value)) throw wrongOption(method, name, value, kind);
        continue;
      }
      if (!table) continue;
      const elsewhere = others.flatMap((other) => row(other, name) ?? []);
      const [first] = elsewhere;
      if (!first)
        throw unknownOption(method, name, [CALL_OPTIONS, methodOptions, table].flatMap(Object.keys), ADVICE);
      if (value !== undefined && !elsewhere.some((each) => each.accepts(value)))
        throw wrongOption(method, name, value, first);
    }
  };
}

function row(table: OptionTable, name: string): OptionKind | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
