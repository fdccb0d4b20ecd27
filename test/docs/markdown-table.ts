/** Returns the rows of the first table below a heading as cell texts, without the header row. */
export function readTableBelowHeading(page: string, heading: string): string[][] {
  const start = page.indexOf(`## ${heading}\n`);
  if (start < 0) throw new Error(`the page has no heading "${heading}"`);
  const [table = ""] = /(?:^\|.*\n)+/m.exec(page.slice(start)) ?? [];
  return table.trimEnd().split("\n").slice(2).map(splitCells);
}

/** Splits a row of a Markdown table into its cells, and removes the backslash of an escaped "|", "<" or ">". */
function splitCells(line: string): string[] {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replace(/\\([|<>])/g, "$1"));
}
