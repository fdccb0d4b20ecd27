/** A document of the database of a WAIS test server. */
export interface TestWaisDocument {
  /** The title of the WAIS document in search results. */
  readonly headline: string;
  /**
   * The id of the document on the server: its first and last byte in a file, and the path of the file. In the local id
   * of a WAIS document, the first and last byte "0 0" mean the whole file.
   */
  readonly localId: string;
  /** The contents of the WAIS document by document type, such as `TEXT`. The preferred document type is first. */
  readonly contents: Readonly<Record<string, Uint8Array | string>>;
}

/** A database of a WAIS test server. */
export interface TestWaisDatabase {
  readonly name: string;
  readonly documents: readonly TestWaisDocument[];
  /**
   * The description of the database in the format of a WAIS source file. Default: a generated description.
   */
  readonly description?: Uint8Array | string | undefined;
  /**
   * The list of the database's documents, which a search without hits returns. Default: a generated list. With `null`,
   * a search without hits returns no list of the documents.
   */
  readonly catalogue?: Uint8Array | string | null | undefined;
}

/** A document that clients can retrieve, and the name of its database in responses. */
export interface ServedWaisDocument {
  readonly document: TestWaisDocument;
  /**
   * The name of the WAIS database in responses. The database name has the prefix `db/` in responses about documents,
   * and not about the description and the catalogue.
   */
  readonly databaseName: string;
  /** True when the WAIS document-id contains the name of the server. */
  readonly documentIdNamesServer: boolean;
}

/** A document that a WAIS search has found. */
export interface WaisSearchHit extends ServedWaisDocument {
  readonly score: number;
  readonly headline: string;
}

/** The prefix that a WAIS server adds to database names in its responses, which looks like a folder. */
export const waisDatabaseNamePrefix = "db/";

/** Returns the relevance of a document for the words of a search, from 0 (none) to 1000 (best). */
export type DocumentScorer = (words: string, document: TestWaisDocument) => number;

/** Returns the content of a document in a type, or `undefined` when the document does not have this type. */
export function findWaisContentByType({ contents }: TestWaisDocument, type: string): Buffer | undefined {
  const content = Object.hasOwn(contents, type) ? contents[type] : undefined;
  return content === undefined ? undefined : Buffer.from(content);
}

/** Returns the types of a WAIS document's contents, the preferred type first. */
export function listTypesOfWaisDocument({ contents }: TestWaisDocument): readonly string[] {
  return Object.keys(contents);
}

/** Returns the lines of a text, each with its line end. */
export function splitKeepingLineEnds(text: Buffer): readonly string[] {
  return text.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Scores a document by the occurrences of the words in its headline and text: 100 for each, at most 1000. */
export const scoreByWordCount: DocumentScorer = (words, document) => {
  const text =
    `${document.headline}\n${findWaisContentByType(document, "TEXT")?.toString("latin1") ?? ""}`.toLowerCase();
  const wanted = words.toLowerCase().match(/[^\s"()]+/g) ?? [];
  const found = wanted.map((word) => text.split(word).length - 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1000, found * 100);
};

/**
 * Returns the description and the catalogue of a database, which are the results of a search without words.
 */
export function createDescriptionAndCatalogue(database: TestWaisDatabase): {
  description: ServedWaisDocument;
  catalogue: ServedWaisDocument | undefined;
} {
  const { name, documents } = database;
  const list = documents.map(
    ({ headline, localId }, index) => `\nDocument # ${index + 1}\nHeadline: ${headline}\nDocID: ${localId}\n`,
  );
  const {
    description = `(:source\n   :version 3\n   :database-name "${name}"\n   :description "${documents.length} documents"\n)\n`,
    catalogue = `Catalog for database: ${name}\n${documents.length} total documents\n${list.join("")}`,
  } = database;
  const about = (
    suffix: string,
    headline: string,
    type: string,
    content: Uint8Array | string,
  ): ServedWaisDocument => ({
    document: {
      headline,
      localId: `0 0 ${waisDatabaseNamePrefix}${name}.${suffix}`,
      contents: { [type]: content },
    },
    databaseName: name,
    documentIdNamesServer: false,
  });
  return {
    description: about("src", `Information on database: ${name}`, "WSRC", description),
    catalogue:
      catalogue === null ? undefined : about("cat", `Catalog for database: ${name}`, "TEXT", catalogue),
  };
}

/** Returns all documents that clients can retrieve from a WAIS database. */
export function listRetrievableDatabaseDocuments(database: TestWaisDatabase): readonly ServedWaisDocument[] {
  const { description, catalogue } = createDescriptionAndCatalogue(database);
  const documents = database.documents.map((document) => ({
    document,
    databaseName: waisDatabaseNamePrefix + database.name,
    documentIdNamesServer: true,
  }));
  return [...documents, description, ...(catalogue ? [catalogue] : [])];
}

/** Returns the results of a search in a database, the best result first. */
export function searchDatabase(
  database: TestWaisDatabase,
  words: string,
  score: DocumentScorer,
): readonly WaisSearchHit[] {
  const { description, catalogue } = createDescriptionAndCatalogue(database);
  if (/^(?:$|[?*])/.test(words)) {
    return [description, catalogue].flatMap((holding) => (holding ? [createSearchHit(holding, 1000)] : []));
  }
  const hits = listRetrievableDatabaseDocuments(database)
    .filter(({ documentIdNamesServer: idNamesServer }) => idNamesServer)
    .map((holding) => createSearchHit(holding, score(words, holding.document)))
    .filter((found) => found.score > 0)
    .toSorted((one, other) => other.score - one.score);
  if (hits.length > 0 || catalogue === undefined) return hits;
  return [
    createSearchHit(catalogue, 0, `Search produced no result. Here's the ${catalogue.document.headline}`),
  ];
}

function createSearchHit(
  holding: ServedWaisDocument,
  score: number,
  headline: string = holding.document.headline,
): WaisSearchHit {
  return { ...holding, score, headline };
}

/** Returns true when the words of a search are invalid in the server's query language. */
export function isInvalidWaisQuery(words: string): boolean {
  const open = words.split("(").length;
  const closed = words.split(")").length;
  return open !== closed || /^[?*]|(?:^|\s)(?:and|or|not)\s*$/.test(words);
}
