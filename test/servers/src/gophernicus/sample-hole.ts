import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { ServedFiles } from "../throwaway-directory.ts";

/** A picture of one pixel, which a text transfer would corrupt. */
const picture = Buffer.from("47494638396101000100800000000000ffffff2c00000000010001000002024401003b", "hex");

const searchProgram = "cgi-bin/search";

const menu = [
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
 * A Gopher hole with a menu, a text, a picture, a folder and a search. A line of the text has a leading dot; the
 * search repeats its words.
 */
export const sampleGopherHole: ServedFiles = {
  gophermap: menu,
  "hello.txt": "hello\n.dot line\nlast\n",
  "pic.gif": picture,
  "dir/in.txt": "inside\n",
  [searchProgram]: `#!/bin/sh\nprintf 'query=[%s] [%s]\\r\\n' "$QUERY_STRING" "$SEARCHREQUEST"\n`,
};

/** Makes the search executable, so that gophernicus runs it. */
export async function makeSearchExecutable(root: string): Promise<void> {
  await chmod(join(root, searchProgram), 0o755);
}
