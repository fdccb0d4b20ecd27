import type { ServedFiles } from "../temporary-directory.ts";
import type { TestWaisDatabase } from "./search-database.ts";

/** The WAIS document types by file suffix. Files with other suffixes have the type TEXT. */
const documentTypeBySuffix: Readonly<Record<string, string>> = { gif: "GIF", html: "HTML" };

/** Returns a WAIS database with a document for each file. The headline of a document is the file name. */
export function createDatabaseFromFiles(name: string, files: ServedFiles): TestWaisDatabase {
  const documents = Object.entries(files).map(([path, content]) => {
    const bytes = Buffer.from(content);
    const type = documentTypeBySuffix[path.slice(path.lastIndexOf(".") + 1)] ?? "TEXT";
    return {
      headline: path.slice(path.lastIndexOf("/") + 1),
      localId: `0 ${bytes.length} /${path}`,
      contents: { [type]: bytes },
    };
  });
  return { name, documents };
}
