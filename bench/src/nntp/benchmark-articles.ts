// The data of the NNTP benchmark: an article and a large overview.

/** The name of the newsgroup with long articles, and the sizes of long and short articles. */
export const LONG_ARTICLES_NEWSGROUP = "bench.large";
export const LONG_ARTICLE_SIZE = 500_000;
export const SHORT_ARTICLE_SIZE = 4096;

/** The number of articles in the overview of the newsgroup `bench.group`. */
export const ARTICLE_COUNT = 10_000;

const ARTICLE_LINE = "This line is as long as an average line of a news article...............\n";

/**
 * Returns a news article of about the given number of bytes. The lines of the benchmark's article end with
 * LF.
 */
export function createNewsArticle(number: number, bytes: number): string {
  const id = `<${number}.abcdef@news.example.org>`;
  const head = `From: A <a@example.org>\nNewsgroups: bench.group\nSubject: s\nDate: Fri, 20 Nov 2026 20:01:00 GMT\nMessage-ID: ${id}\n\n`;
  return head + ARTICLE_LINE.repeat(Math.max(1, Math.floor((bytes - head.length) / ARTICLE_LINE.length)));
}

/** Returns the lines of an NNTP overview, without the terminating line with one dot. */
export function createNntpOverview(): Buffer {
  const entry = (number: number): string =>
    [
      number,
      `Re: a subject of the usual length, number ${number}`,
      `Somebody Or Other <somebody${number % 997}@example.org>`,
      "Fri, 20 Nov 2026 20:01:00 +0000",
      `<${number}.abcdef@news.example.org>`,
      `<${number - 1}.abcdef@news.example.org>`,
      2000 + (number % 1000),
      40,
      `Xref: news.example.org bench.group:${number}`,
    ].join("\t");
  return Buffer.from(Array.from({ length: ARTICLE_COUNT }, (_, index) => `${entry(index + 1)}\r\n`).join(""));
}
