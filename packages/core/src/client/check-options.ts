import type { Scheme } from "../scheme/scheme.ts";
import { unknownOption, wrongOption } from "../options/check-options.ts";
import type { OptionKind, OptionTable } from "../options/option-kinds.ts";
import { ADVICE, CALL_OPTIONS } from "./options.ts";

/**
 * Checks the options of a call by the tables of the client, of its method and of its schemes. `scheme` is that of the URL.
 * Throws `TypeError`.
 */
export type CheckCall = (method: string, options: object, scheme: string, own?: OptionTable) => void;

/**
 * Makes the check of a client. An option of another scheme of the client is let through and has no effect: a program gives the
 * same options for URLs of any scheme. A scheme that does not say what its options are takes any name.
 */
export function createCheckCall(schemes: readonly Scheme[]): CheckCall {
  const tables = new Map(
    schemes.map(({ name, requestOptions: callOptions }) => [name.toLowerCase(), callOptions as OptionTable]),
  );
  const others = [...tables.values()].filter((table) => table !== undefined);

  return (method, options, scheme, own = {}) => {
    const table = tables.get(scheme);
    for (const name of Object.keys(options)) {
      const value = (options as Record<string, unknown>)[name];
      const kind = row(CALL_OPTIONS, name) ?? row(own, name) ?? (table && row(table, name));
      if (kind) {
        if (value !== undefined && !kind.accepts(value)) throw wrongOption(method, name, value, kind);
        continue;
      }
      if (!table) continue;
      const elsewhere = others.flatMap((other) => row(other, name) ?? []);
      const [first] = elsewhere;
      if (!first) throw unknownOption(method, name, [CALL_OPTIONS, own, table].flatMap(Object.keys), ADVICE);
      if (value !== undefined && !elsewhere.some((each) => each.accepts(value)))
        throw wrongOption(method, name, value, first);
    }
  };
}

function row(table: OptionTable, name: string): OptionKind | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
