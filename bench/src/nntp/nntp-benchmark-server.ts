// This process runs the NNTP server of the benchmark. The benchmark's NNTP server returns the same article for every
// article number, and an overview.
import { type AddressInfo, createServer } from "node:net";
import {
  createNewsArticle,
  SHORT_ARTICLE_SIZE,
  LONG_ARTICLE_SIZE,
  LONG_ARTICLES_NEWSGROUP,
  createNntpOverview,
} from "./benchmark-articles.ts";

const createArticleReply = (bytes: number): Buffer =>
  Buffer.from(`220 1 <1@x> article\r\n${createNewsArticle(1, bytes).replaceAll("\n", "\r\n")}.\r\n`);

/** The server builds its replies once, so that the server adds little to the measured time. */
const largeArticleReply = createArticleReply(LONG_ARTICLE_SIZE);
const repliesByCommand: Readonly<Record<string, Uint8Array | string>> = {
  CAPABILITIES: "101 list\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n",
  GROUP: "211 10000 1 10000 bench.group\r\n",
  ARTICLE: createArticleReply(SHORT_ARTICLE_SIZE),
  OVER: Buffer.concat([Buffer.from("224 overview follows\r\n"), createNntpOverview(), Buffer.from(".\r\n")]),
};

const nntpServer = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.write("200 ready\r\n");
  let group = "";
  socket.on("data", (bytes) => {
    for (const line of bytes.toString("latin1").split("\r\n").slice(0, -1)) {
      const [verb = "", argument = ""] = line.split(" ");
      if (verb === "GROUP") group = argument;
      const isLarge = verb === "ARTICLE" && group === LONG_ARTICLES_NEWSGROUP;
      socket.write(isLarge ? largeArticleReply : (repliesByCommand[verb] ?? "500 what?\r\n"));
    }
  });
});
process.once("disconnect", () => process.exit());
nntpServer.listen(0, "127.0.0.1", () => process.send?.((nntpServer.address() as AddressInfo).port));
