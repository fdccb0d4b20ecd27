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

/** `Fri Nov 20 20:57:20 2026 <20261120205720>`: what counts stands in the brackets. */
function dateOf(text: string | undefined): Date | undefined {
  const [, year, month, day, hour, minute, second] =
    /<(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)>/.exec(text ?? "") ?? [];
  if (year === undefined) return undefined;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
