import type { ServedFiles } from "../throwaway-directory.ts";
import type { SmallWaisDatabase } from "./search-database.ts";

/** The types of documents by the suffix of their file. All others are texts. */
const types: Readonly<Record<string, string>> = { gif: "GIF", html: "HTML" };

/** Returns a database with a document for each file, whose name is its headline. */
export function createDatabaseFromFiles(name: string, files: ServedFiles): SmallWaisDatabase {
  const documents = Object.entries(files).map(([path, content]) => {
    const bytes = Buffer.from(content);
    const type = types[path.slice(path.lastIndexOf(".") + 1)] ?? "TEXT";
    return {
      headline: path.slice(path.lastIndexOf("/") + 1),
      localId: `0 ${bytes.length} /${path}`,
      contents: { [type]: bytes },
    };
  });
  return { name, documents };
}
