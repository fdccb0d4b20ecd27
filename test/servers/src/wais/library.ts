/** A document, and where it stands. */
export interface SmallWaisDocument {
  /** What a list of hits shows. */
  readonly headline: string;
  /** How the server finds it again: first and last byte in a file, and the path of the file. "0 0" is all of a file. */
  readonly localId: string;
  /** Its bytes by the types it can be had as, the one that counts first. */
  readonly contents: Readonly<Record<string, Uint8Array | string>>;
}

/** A database of documents. */
export interface SmallWaisDatabase {
  readonly name: string;
  readonly documents: readonly SmallWaisDocument[];
  /** What is told of it, in the form of a source description. Default: one is made. */
  readonly description?: Uint8Array | string | undefined;
  /** The list of its documents, given when a search finds none. Default: one is made; `null`: there is none. */
  readonly catalogue?: Uint8Array | string | null | undefined;
}

/** A document with its database, as answers name it. */
export interface Holding {
  readonly document: SmallWaisDocument;
  /** The name that answers give for the database: with its folder, but for its description and its catalogue. */
  readonly source: string;
  /** Whether the document-id names the server too. */
  readonly withServer: boolean;
}

/** A document that a search has found. */
export interface Hit extends Holding {
  readonly score: number;
  readonly headline: string;
}

/** The folder that the names of databases stand for in answers. */
export const indexFolder = "db/";

/** How well a document fits the words: 0 for not at all, 1000 for the best. */
export type Score = (words: string, document: SmallWaisDocument) => number;

/** The bytes of a type; `undefined` for a type that the document has not. */
export function contentOf({ contents }: SmallWaisDocument, type: string): Buffer | undefined {
  const content = Object.hasOwn(contents, type) ? contents[type] : undefined;
  return content === undefined ? undefined : Buffer.from(content);
}

/** The types of a document in their order. */
export function typesOf({ contents }: SmallWaisDocument): readonly string[] {
  return Object.keys(contents);
}

/** Lines of a text, each with its line end. */
export function readLines(text: Buffer): readonly string[] {
  return text.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Counts the words in headline and text; the most that can be is 1000. */
export const countingScore: Score = (words, document) => {
  const text = `${document.headline}\n${contentOf(document, "TEXT")?.toString("latin1") ?? ""}`.toLowerCase();
  const wanted = words.toLowerCase().match(/[^\s"()]+/g) ?? [];
  const found = wanted.map((word) => text.split(word).length - 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1000, found * 100);
};

/** The description and the catalogue of a database, which stand for its documents when there is nothing to search for. */
export function aboutOf(database: SmallWaisDatabase): {
  description: Holding;
  catalogue: Holding | undefined;
} {
  const { name, documents } = database;
  const list = documents.map(
    ({ headline, localId }, index) => `\nDocument # ${index + 1}\nHeadline: ${headline}\nDocID: ${localId}\n`,
  );
  const {
    description = `(:source\n   :version 3\n   :database-name "${name}"\n   :description "${documents.length} documents"\n)\n`,
    catalogue = `Catalog for database: ${name}\n${documents.length} total documents\n${list.join("")}`,
  } = database;
  const about = (suffix: string, headline: string, type: string, content: Uint8Array | string): Holding => ({
    document: { headline, localId: `0 0 ${indexFolder}${name}.${suffix}`, contents: { [type]: content } },
    source: name,
    withServer: false,
  });
  return {
    description: about("src", `Information on database: ${name}`, "WSRC", description),
    catalogue:
      catalogue === null ? undefined : about("cat", `Catalog for database: ${name}`, "TEXT", catalogue),
  };
}

/** Everything that can be fetched from a database. */
export function holdingsOf(database: SmallWaisDatabase): readonly Holding[] {
  const { description, catalogue } = aboutOf(database);
  const documents = database.documents.map((document) => ({
    document,
    source: indexFolder + database.name,
    withServer: true,
  }));
  return [...documents, description, ...(catalogue ? [catalogue] : [])];
}

/** What a search in a database finds, the best first. */
export function hitsOf(database: SmallWaisDatabase, words: string, score: Score): readonly Hit[] {
  const { description, catalogue } = aboutOf(database);
  if (/^(?:$|[?*])/.test(words)) {
    return [description, catalogue].flatMap((holding) => (holding ? [hit(holding, 1000)] : []));
  }
  const hits = holdingsOf(database)
    .filter(({ withServer }) => withServer)
    .map((holding) => hit(holding, score(words, holding.document)))
    .filter((found) => found.score > 0)
    .toSorted((one, other) => other.score - one.score);
  if (hits.length > 0 || catalogue === undefined) return hits;
  return [hit(catalogue, 0, `Search produced no result. Here's the ${catalogue.document.headline}`)];
}

function hit(holding: Holding, score: number, headline: string = holding.document.headline): Hit {
  return { ...holding, score, headline };
}

/** Whether this server's query language has no meaning for the words. */
export function isQueryFault(words: string): boolean {
  const open = words.split("(").length;
  const closed = words.split(")").length;
  return open !== closed || /^[?*]|(?:^|\s)(?:and|or|not)\s*$/.test(words);
}
