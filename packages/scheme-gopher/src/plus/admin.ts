import { utcDate } from "@anyscheme/core/plugin";

/** What the block +ADMIN tells: who answers for an item, when it was changed, and whatever else. Gopher+, section 2.5. */
export interface GopherAdmin {
  /** As in `Gopher Admin <gopher@h.example>`. */
  readonly admin: string | undefined;
  /** Read as UTC: the protocol does not tell the zone. */
  readonly modified: Date | undefined;
  /** All lines in their order, as name and value. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Reads the lines of a block +ADMIN. */
export function adminOf(lines: readonly string[]): GopherAdmin {
  const fields = lines.map((line): [string, string] => {
    const [, name = line, value = ""] = /^\s*([^:]*):\s*(.*)$/s.exec(line) ?? [];
    return [name, value];
  });
  const valueOf = (wanted: string): string | undefined =>
    fields.find(([name]) => name.toLowerCase() === wanted)?.[1];
  return { admin: valueOf("admin"), modified: dateOf(valueOf("mod-date")), fields };
}

/** `Fri Nov 20 20:57:20 2026 <20261120205720>`: what counts stands in the brackets; `undefined` for an impossible date. */
function dateOf(text: string | undefined): Date | undefined {
  const [, ...fields] = /<(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)>/.exec(text ?? "") ?? [];
  const [year = 0, month = 0, day = 0, hour, minute, second] = fields.map(Number);
  return utcDate(year, month, day, hour, minute, second);
}
