/** A newsgroup of an NNTP test server. The first article has the number 1. */
export interface TestNewsgroup {
  readonly description?: string;
  /**
   * The news articles, each with header and body. The NNTP test server encodes articles that are strings in UTF-8, and
   * converts their line ends to CRLF.
   */
  readonly articles: readonly (string | Uint8Array)[];
}

/** A news article with its number and its message identifier. */
export interface StoredNewsArticle {
  readonly number: number;
  /** The message identifier with "<" and ">". */
  readonly id: string;
  /** The text of the article, one character per byte, with CRLF at the end of each line. */
  readonly text: string;
}

/**
 * Returns a multi-line data block (RFC 3977 §3.1.1): leading dots are doubled, and a line with one dot ends
 * the block.
 */
export function formatMultiLineDataBlock(text: string): string {
  return `${text.replace(/^\./gm, "..")}.\r\n`;
}

/**
 * Numbers the articles of a newsgroup. An article without a Message-ID receives an identifier with the group's name and
 * the number.
 */
export function numberArticles(group: string, { articles }: TestNewsgroup): StoredNewsArticle[] {
  return articles.map((article, index) => {
    const bytes = typeof article === "string" ? Buffer.from(article, "utf8") : Buffer.from(article);
    const text = bytes
      .toString("latin1")
      .replace(/\r?\n/g, "\r\n")
      .replace(/(?<!\n)$/, "\r\n");
    const id = findHeaderField(text, "Message-ID") || `<${index + 1}@${group}>`;
    return { number: index + 1, id, text };
  });
}

/** Returns the line of an article in the overview (RFC 3977 §8.3.2). */
export function formatOverviewLine({ number, id, text }: StoredNewsArticle): string {
  const [subject, from, date, references] = ["Subject", "From", "Date", "References"].map((name) =>
    findHeaderField(text, name),
  );
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  const lines = body.split("\r\n").length - 1;
  return [number, subject, from, date, id, references, text.length, lines].join("\t");
}

function findHeaderField(text: string, name: string): string {
  const head = text.split("\r\n\r\n", 1)[0] ?? "";
  const found = new RegExp(`^${name}:[ \\t]*(.*(?:\\r\\n[ \\t].*)*)`, "im").exec(head)?.[1] ?? "";
  return found.replace(/\r\n/g, "").replace(/[\t\0]/g, " ");
}
