import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startScriptedServer } from "@anyscheme/core/testing";
import {
  startSmallFtp,
  startSmallGopher,
  startSmallHttp,
  startSmallNntp,
  startSmallProspero,
  startSmallWais,
} from "@anyscheme/servers";
import { expect, it } from "vitest";

/** The time in which the process must end. It is shorter than every timeout of the client. */
const ENDS_WITHIN_MS = 12_000;

const BIG = "0123456789abcdef".repeat(65_536);
const ARTICLE = `From: a@x\r\nSubject: s\r\nMessage-ID: <one@x>\r\n\r\n${"line\r\n".repeat(100_000)}`;

interface Server extends AsyncDisposable {
  readonly port: number;
}

/** Programs that leave a resource unread. */
const UNREAD = "await client.dereference(url);";
const BEGUN = "await (await client.dereference(url)).body.getReader().read();";
const FIRST_ENTRY = "await (await client.dereference(url))[Symbol.asyncIterator]().next();";
const READ = "await (await client.dereference(url)).bytes();";
const FAILED = "await client.dereference(url).catch(() => undefined);";

/** Programs that leave a session open. */
const OPEN = "const session = await (await client.dereference(url)).connect({ closeAfterSilenceMs: 100 });";
const SENT = `${OPEN} await session.writable.getWriter().write(Buffer.from("hello\\r\\n"));`;
const SHOWN = `${OPEN} const reader = session.readable.getReader(); await reader.read();`;
const ANSWERED = `${SHOWN} session.writable.getWriter().write(Buffer.from("hello\\r\\n")); await reader.read();`;
const ENDED = `${SHOWN} await session.writable.close();`;

const files = { "big.bin": BIG, "small.bin": "small", "folder/a": "a", "folder/b": "b" };
const ftpServer = (): Promise<Server> => startSmallFtp({ files });
const httpServer = (): Promise<Server> => startSmallHttp({ files });
const gopherServer = (): Promise<Server> => startSmallGopher({ files });
const nntpServer = (): Promise<Server> => startSmallNntp({ groups: { "a.b": { articles: [ARTICLE] } } });
const waisServer = (): Promise<Server> =>
  startSmallWais({
    databases: [{ name: "d", documents: [{ headline: "h", localId: "1", contents: { TEXT: BIG } }] }],
  });
const prosperoServer = (): Promise<Server> =>
  startSmallProspero({
    objects: { f: { content: BIG }, d: { links: [{ name: "f", hsoname: "f" }] } },
  });
/** Returns a server that sends the beginning of a response and then nothing. */
const stalling = (beginning: string) => (): Promise<Server> =>
  startScriptedServer(async (peer) => {
    await peer.line();
    peer.send(beginning);
    await peer.closed;
  });
/** Starts a server that sends a greeting, and a reply to each line. */
const telnetServer = (): Promise<Server> =>
  startScriptedServer(async (peer) => {
    peer.send("\xff\xfd\x18login: ");
    while ((await peer.line()) !== undefined) peer.send("$ ");
  });

const ROWS: [scheme: string, what: string, serve: () => Promise<Server>, path: string, work: string][] = [
  ["ftp", "a file of which nothing is read", ftpServer, "/big.bin", UNREAD],
  ["ftp", "a file of which a part is read", ftpServer, "/big.bin", BEGUN],
  ["ftp", "a directory of which nothing is read", ftpServer, "/", UNREAD],
  ["ftp", "a directory of which one entry is read", ftpServer, "/", FIRST_ENTRY],
  ["ftp", "a session that is kept", ftpServer, "/small.bin", READ],
  ["ftp", "a failure", ftpServer, "/missing", FAILED],
  ["http", "a content of which nothing is read", httpServer, "/big.bin", UNREAD],
  ["http", "a content of which a part is read", httpServer, "/big.bin", BEGUN],
  [
    "http",
    "a content that the server does not send",
    stalling("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"),
    "/",
    UNREAD,
  ],
  ["http", "a connection that is kept", httpServer, "/small.bin", READ],
  ["http", "a failure", httpServer, "/missing", FAILED],
  ["gopher", "a file of which nothing is read", gopherServer, "/9big.bin", UNREAD],
  ["gopher", "a menu of which nothing is read", gopherServer, "/1", UNREAD],
  ["gopher", "a menu that the server does not end", stalling("0a\t/a\th\t70\r\n"), "/1", FIRST_ENTRY],
  ["nntp", "an article of which nothing is read", nntpServer, "/a.b/1", UNREAD],
  ["nntp", "an article of which a part is read", nntpServer, "/a.b/1", BEGUN],
  ["nntp", "a group of which nothing is read", nntpServer, "/a.b", UNREAD],
  ["nntp", "a failure", nntpServer, "/a.b/9", FAILED],
  ["wais", "a search of which nothing is read", waisServer, "/d?0123456789abcdef", UNREAD],
  ["wais", "a failure", waisServer, "/missing/TEXT/1", FAILED],
  ["telnet", "a service of which nothing is opened", telnetServer, "/", UNREAD],
  ["telnet", "a session of which nothing is read", telnetServer, "/", OPEN],
  ["telnet", "a session to which something is sent", telnetServer, "/", SENT],
  ["telnet", "a session of which something is read", telnetServer, "/", SHOWN],
  ["telnet", "a session that has answered", telnetServer, "/", ANSWERED],
  ["telnet", "a session whose input has ended", telnetServer, "/", ENDED],
  ["prospero", "an object of which nothing is read", prosperoServer, "/f", UNREAD],
  ["prospero", "a directory of which nothing is read", prosperoServer, "/d", UNREAD],
];

it.each(ROWS)(
  "a process that uses the scheme %s ends by itself after %s",
  async (scheme, _, serve, path, work) => {
    await using server = await serve();
    const program = `
    import { createClient, anyAddress } from "@anyscheme/core";
    import { ftp } from "@anyscheme/scheme-ftp";
    import { http } from "@anyscheme/scheme-http";
    import { gopher } from "@anyscheme/scheme-gopher";
    import { nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
    const schemes = [ftp(), http(), gopher(), nntp(), prospero(), telnet(), wais()];
    const allowPorts = Object.fromEntries(schemes.map(({ name }) => [name, [${server.port}]]));
    const client = createClient({ schemes, policy: anyAddress({ allowPorts }) });
    const url = "${scheme}://127.0.0.1:${server.port}${path}";
    ${work}
    console.log("done");
  `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program],
      {
        cwd: new URL("../../packages/cli", import.meta.url),
        timeout: ENDS_WITHIN_MS,
      },
    );
    expect(stdout).toBe("done\n");
  },
);
