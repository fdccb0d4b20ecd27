/** Returns the cell texts of the first table below a heading, without the table's head. */
export function rowsBelow(page: string, heading: string): string[][] {
  const start = page.indexOf(`## ${heading}\n`);
  if (start < 0) throw new Error(`there is no heading "${heading}"`);
  const [table = ""] = /(?:^\|.*\n)+/m.exec(page.slice(start)) ?? [];
  return table.trimEnd().split("\n").slice(2).map(cellsOf);
}

/** An escaped "|", "<" or ">" is text. */
function cellsOf(line: string): string[] {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replace(/\\([|<>])/g, "$1"));
}
