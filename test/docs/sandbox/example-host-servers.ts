import { type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import {
  createDatabaseFromFiles,
  startFtpTestServer,
  startHttpFileTestServer,
  startNntpTestServer,
  startWaisTestServer,
} from "@anyscheme/servers";

const ftpAndHttpFiles = {
  "pub/readme.txt": "Read me first.\n",
  "pub/data.zip": "PK and so on\n",
  "pub/maps/world.txt": "The world, in lines.\n",
  "pub/maps/moon.txt": "The moon.\n",
};

const gopherMenuLines = [
  "iWelcome to gopher.example\t\terror.host\t1",
  "1Fruit\t/fruit\tgopher.example\t70",
  "0About this server\t/about\tgopher.example\t70",
  "7Search\t/search\tgopher.example\t70",
  "hRFC 1738\tURL:http://www.example/rfc1738.txt\tgopher.example\t70",
  ".",
];

/** The lines of the local Gopher server's responses, by selector. */
const GOPHER_RESPONSES: Readonly<Record<string, readonly string[]>> = {
  "": gopherMenuLines,
  "/fruit": ["0Apple\t/fruit/apple\tgopher.example\t70", "0Pear\t/fruit/pear\tgopher.example\t70", "."],
  "/fruit/apple": ["An apple a day", "."],
  "/about": ["This server has documents about fruit.", "."],
};

/** Returns the script of a server that receives one line and responds with lines. */
function createOneLineServer(answer: (question: string) => readonly string[]): ServerScript {
  return async (peer) => peer.send(`${answer((await peer.readLine()) ?? "").join("\r\n")}\r\n`);
}

const newsArticle = [
  "From: Someone <someone@host.example>",
  "Newsgroups: misc.test",
  "Subject: Hello",
  "Date: Sat, 21 Nov 2026 12:00:00 +0000",
  "Message-ID: <hello@host.example>",
  "",
  "Hello from a news server.",
  "",
].join("\n");

const fruitFiles = {
  "apples.txt": "An apple a day keeps the doctor away.\n",
  "pears.txt": "A pear is no apple.\n",
};

/** The local servers that replace the `.example` hosts of the documentation. */
export interface ExampleHostServers {
  /** The local port of each server, by the well-known port of its protocol. */
  readonly ports: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export async function startExampleHostServers(): Promise<ExampleHostServers> {
  const pages = { "index.html": "<title>Hello</title>\n", "data.tar.gz": "gz", "rfc1738.txt": "URLs\n" };
  const byPort = {
    21: await startFtpTestServer({ files: ftpAndHttpFiles, users: { joe: "sesame" } }),
    23: await startScriptedServer((peer) => peer.send("login: ")),
    70: await startScriptedServer(
      createOneLineServer((selector) => GOPHER_RESPONSES[selector] ?? gopherErrorLines(selector)),
    ),
    79: await startScriptedServer(
      createOneLineServer((user) => [`Login: ${user}`, "Plan: to conquer the field"]),
    ),
    80: await startHttpFileTestServer({
      files: pages,
      redirects: { "/moved": { status: 301, location: "/" } },
    }),
    119: await startNntpTestServer({ groups: { "misc.test": { articles: [newsArticle] } } }),
    210: await startWaisTestServer({
      databases: [createDatabaseFromFiles("fruit", fruitFiles)],
      serverName: "wais.example:210",
    }),
    1738: await startScriptedServer(createOneLineServer((topic) => [`${topic} may look at a king.`])),
  };
  return {
    ports: Object.fromEntries(Object.entries(byPort).map(([port, server]) => [port, server.port])),
    stop: async () => void (await Promise.all(Object.values(byPort).map((server) => server.stop()))),
  };
}

function gopherErrorLines(selector: string): string[] {
  return [`3'${selector}' does not exist\t\terror.host\t1`, "."];
}
