import { characterWidth, controlPicture } from "./character-width.ts";

/** One character of a text, as it is shown. */
interface Cell {
  readonly text: string;
  readonly columns: number;
  /** Where it begins in the text, in UTF-16 units. */
  readonly index: number;
}

const ELLIPSIS = "…";

/**
 * A text on one line, and below it `^~~~` under the `length` UTF-16 units from `index` on. Characters that cannot be shown
 * get a picture of the same width; of a text longer than `columns` the part around the marks is shown.
 */
export function formatCaret(
  text: string,
  index: number,
  length: number,
  columns: number,
): [line: string, marks: string] {
  const cells = toCells(text);
  const first = cellIndexAt(cells, index);
  const behind = Math.max(cellIndexAt(cells, index + length), first + 1);
  const [from, to] = visibleRange(cells, first, Math.max(columns, 10));
  const before = from > 0 ? ELLIPSIS : "";
  const after = to < cells.length ? ELLIPSIS : "";
  const line =
    before +
    cells
      .slice(from, to)
      .map(({ text: shown }) => shown)
      .join("") +
    after;
  const indent = before.length + totalColumns(cells.slice(from, first));
  const marked = Math.max(1, totalColumns(cells.slice(first, Math.min(behind, to))));
  return [line, `${" ".repeat(indent)}^${"~".repeat(marked - 1)}`];
}

function toCells(text: string): Cell[] {
  const cells: Cell[] = [];
  let index = 0;
  for (const character of text) {
    const shown = controlPicture(character);
    cells.push({ text: shown, columns: characterWidth(shown), index });
    index += character.length;
  }
  return cells;
}

/** The number of the first cell that begins at or after `index`; a character with `index` in its middle counts as well. */
function cellIndexAt(cells: readonly Cell[], index: number): number {
  const found = cells.findIndex((cell) => cell.index + (cell.text.length > 1 ? 1 : 0) >= index);
  return found < 0 ? cells.length : found;
}

/** The cells that fit: all of them, or as much as the columns hold with a third of the room before the marks. */
function visibleRange(cells: readonly Cell[], first: number, columns: number): [from: number, to: number] {
  if (totalColumns(cells) + 1 <= columns) return [0, cells.length];
  const room = columns - 2;
  let from = first;
  let used = 0;
  while (from > 0 && used + (cells[from - 1]?.columns ?? 0) <= room / 3) used += cells[--from]?.columns ?? 0;
  let to = from;
  used = 0;
  while (to < cells.length && used + (cells[to]?.columns ?? 0) <= room) used += cells[to++]?.columns ?? 0;
  // Near the end there is room left, which goes to what comes before.
  while (to === cells.length && from > 0 && used + (cells[from - 1]?.columns ?? 0) <= room)
    used += cells[--from]?.columns ?? 0;
  return [from, to];
}

function totalColumns(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.columns, 0);
}
