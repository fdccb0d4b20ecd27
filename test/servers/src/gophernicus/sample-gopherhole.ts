import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { ServedFiles } from "../temporary-directory.ts";

/** A GIF picture of one pixel. A conversion of line ends would corrupt the picture. */
const gifPicture = Buffer.from(
  "47494638396101000100800000000000ffffff2c00000000010001000002024401003b",
  "hex",
);

const searchProgramPath = "cgi-bin/search";

const gophermapLines = [
  "Welcome to the test hole",
  "0A text file\t/hello.txt",
  "1A folder\t/dir",
  "7Search\t/cgi-bin/search",
  "gA picture\t/pic.gif",
  "hWeb\tURL:http://127.0.0.1:1/",
  "8Telnet\tguest\t127.0.0.1\t23",
  "TTN3270\tguest\t127.0.0.1\t23",
  "0Elsewhere\t/x\t127.0.0.1\t7",
  "",
].join("\n");

/**
 * The files of a Gopher server: a menu, a text with a leading dot, a picture, a folder, and a search that
 * returns its words.
 */
export const sampleGopherHole: ServedFiles = {
  gophermap: gophermapLines,
  "hello.txt": "hello\n.dot line\nlast\n",
  "pic.gif": gifPicture,
  "dir/in.txt": "inside\n",
  [searchProgramPath]: `#!/bin/sh\nprintf 'query=[%s] [%s]\\r\\n' "$QUERY_STRING" "$SEARCHREQUEST"\n`,
};

/** Makes the search script executable, so that gophernicus runs it. */
export async function makeSearchScriptExecutable(root: string): Promise<void> {
  await chmod(join(root, searchProgramPath), 0o755);
}
