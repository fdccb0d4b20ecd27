import type { ServedFiles } from "../temporary-directory.ts";

/** A GIF picture of one pixel. A conversion of line ends would corrupt the picture. */
const gifPicture = Buffer.from(
  "47494638396101000100800000000000ffffff2c00000000010001000002024401003b",
  "hex",
);

/**
 * The sample files: texts, a picture, a folder, an HTML page, an abstract, and a form with every question type
 * of Gopher+.
 */
export const sampleGopherPlusTree: ServedFiles = {
  "hello.txt": "hello\n.dot line\nlast\n",
  "hello.txt.abstract": "Two lines of\nabstract text\n",
  "form.txt": "form target\n",
  "form.txt.ask":
    "Note: fill this in\nAsk: Your name\tnobody\nAskP: Password\nAskL: Long text\nSelect: Tick me\t1\nChoose: Colour\tred\tblue\nAskF: Save as\tfile\nChooseF: Which file\n",
  "page.html": "<html><title>The title</title>x</html>\n",
  "pic.gif": gifPicture,
  "dir/in.txt": "inside\n",
};
