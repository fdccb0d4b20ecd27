import { CONTROL_CHARACTERS } from "@anyscheme/core/text";
import { measureCharacterWidth } from "./text-width.ts";

/** A character of a text, with its width on the terminal. */
interface TerminalCell {
  readonly text: string;
  readonly columns: number;
  /** The offset in the text, in UTF-16 units. */
  readonly index: number;
}

const ELLIPSIS = "…";

/**
 * Formats a text on one line, and a mark such as `^~~~` below a part of the text. The marked part has `length`
 * UTF-16 units and begins at `index`. A control character is shown as a control picture, as in `␍`. A text wider
 * than `columns` is truncated on both sides of the mark.
 */
export function formatTextWithCaret(
  text: string,
  index: number,
  length: number,
  columns: number,
): [line: string, marks: string] {
  const cells = splitIntoTerminalCells(text);
  const first = findTerminalCell(cells, index);
  const end = Math.max(findTerminalCell(cells, index + length), first + 1);
  const [from, to] = chooseVisibleRange(cells, first, Math.max(columns, 10));
  const before = from > 0 ? ELLIPSIS : "";
  const after = to < cells.length ? ELLIPSIS : "";
  const visible = cells.slice(from, to).map((cell) => cell.text);
  const indent = before.length + sumCellWidths(cells.slice(from, first));
  const marked = Math.max(1, sumCellWidths(cells.slice(first, Math.min(end, to))));
  return [`${before}${visible.join("")}${after}`, `${" ".repeat(indent)}^${"~".repeat(marked - 1)}`];
}

function splitIntoTerminalCells(text: string): TerminalCell[] {
  const cells: TerminalCell[] = [];
  let index = 0;
  for (const character of text) {
    const picture = toControlPicture(character);
    cells.push({ text: picture, columns: measureCharacterWidth(picture), index });
    index += character.length;
  }
  return cells;
}

/**
 * Returns the array index of the first cell at or after the offset `index`. An offset within a surrogate pair selects
 * the cell of the pair.
 */
function findTerminalCell(cells: readonly TerminalCell[], index: number): number {
  const found = cells.findIndex((cell) => cell.index + (cell.text.length > 1 ? 1 : 0) >= index);
  return found < 0 ? cells.length : found;
}

/**
 * Returns the range of cells that fit into the columns of the terminal. At most a third of the columns is before
 * the marked cell `first`, except near the end of the text.
 */
function chooseVisibleRange(
  cells: readonly TerminalCell[],
  first: number,
  columns: number,
): [from: number, to: number] {
  if (sumCellWidths(cells) + 1 <= columns) return [0, cells.length];
  const available = columns - 2;
  const columnsOf = (index: number): number => cells[index]?.columns ?? 0;
  let from = first;
  let used = 0;
  while (from > 0 && used + columnsOf(from - 1) <= available / 3) used += columnsOf(--from);
  let to = from;
  used = 0;
  while (to < cells.length && used + columnsOf(to) <= available) used += columnsOf(to++);
  // If columns remain after the end of the text, the range is extended at its start.
  while (to === cells.length && from > 0 && used + columnsOf(from - 1) <= available)
    used += columnsOf(--from);
  return [from, to];
}

function sumCellWidths(cells: readonly TerminalCell[]): number {
  return cells.reduce((sum, cell) => sum + cell.columns, 0);
}

/**
 * Returns the Unicode control picture of a control character, as `␍` for CR, or U+FFFD if there is none. Returns a
 * character that is no control character unchanged.
 */
export function toControlPicture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return character.search(CONTROL_CHARACTERS) === 0 ? "\ufffd" : character;
}
