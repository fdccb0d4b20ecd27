import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startScriptedServer } from "@anyscheme/core/testing";
import {
  startFtpTestServer,
  startGopherTestServer,
  startHttpFileTestServer,
  startNntpTestServer,
  startProsperoTestServer,
  startWaisTestServer,
} from "@anyscheme/servers";
import { expect, it } from "vitest";

/**
 * The time in which a Node.js process that used the client must end. The time limit of the process is shorter than
 * every timeout of the client.
 */
const PROCESS_TIMEOUT_MS = 12_000;

const BIG_CONTENT = "0123456789abcdef".repeat(65_536);
const NEWS_ARTICLE = `From: a@x\r\nSubject: s\r\nMessage-ID: <one@x>\r\n\r\n${"line\r\n".repeat(100_000)}`;

interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
}

/** Programs that dereference a URL, and close neither the resource nor the client. */
const DEREFERENCE_ONLY_CODE = "await client.dereference(url);";
const READ_ONE_CHUNK_CODE = "await (await client.dereference(url)).body.getReader().read();";
const READ_ONE_ENTRY_CODE = "await (await client.dereference(url))[Symbol.asyncIterator]().next();";
const READ_ALL_BYTES_CODE = "await (await client.dereference(url)).bytes();";
const CATCH_ERROR_CODE = "await client.dereference(url).catch(() => undefined);";

/** Code of programs that do not close a session of the client with a server. */
const OPEN_SESSION_CODE =
  "const session = await (await client.dereference(url)).connect({ closeAfterSilenceMs: 100 });";
const WRITE_TO_SESSION_CODE = `${OPEN_SESSION_CODE} await session.writable.getWriter().write(Buffer.from("hello\\r\\n"));`;
const READ_FROM_SESSION_CODE = `${OPEN_SESSION_CODE} const reader = session.readable.getReader(); await reader.read();`;
const EXCHANGE_WITH_SERVER_CODE = `${READ_FROM_SESSION_CODE} session.writable.getWriter().write(Buffer.from("hello\\r\\n")); await reader.read();`;
const CLOSE_SESSION_INPUT_CODE = `${READ_FROM_SESSION_CODE} await session.writable.close();`;

const servedFiles = { "big.bin": BIG_CONTENT, "small.bin": "small", "folder/a": "a", "folder/b": "b" };
const startFtpServer = (): Promise<LoopbackServer> => startFtpTestServer({ files: servedFiles });
const startHttpServer = (): Promise<LoopbackServer> => startHttpFileTestServer({ files: servedFiles });
const startGopherServer = (): Promise<LoopbackServer> => startGopherTestServer({ files: servedFiles });
const startNntpServer = (): Promise<LoopbackServer> =>
  startNntpTestServer({ groups: { "a.b": { articles: [NEWS_ARTICLE] } } });
const startWaisServer = (): Promise<LoopbackServer> =>
  startWaisTestServer({
    databases: [{ name: "d", documents: [{ headline: "h", localId: "1", contents: { TEXT: BIG_CONTENT } }] }],
  });
const startProsperoServer = (): Promise<LoopbackServer> =>
  startProsperoTestServer({
    objects: { f: { content: BIG_CONTENT }, d: { links: [{ name: "f", hsoname: "f" }] } },
  });
/** Returns a function that starts a server, which sends the beginning of a response and then nothing. */
const createStallingServerStarter = (beginning: string) => (): Promise<LoopbackServer> =>
  startScriptedServer(async (peer) => {
    await peer.readLine();
    peer.send(beginning);
    await peer.closed;
  });
/** Starts a server that sends a greeting, and a reply to each line. */
const startTelnetServer = (): Promise<LoopbackServer> =>
  startScriptedServer(async (peer) => {
    peer.send("\xff\xfd\x18login: ");
    while ((await peer.readLine()) !== undefined) peer.send("$ ");
  });

const PROCESS_CASES: [
  scheme: string,
  what: string,
  serve: () => Promise<LoopbackServer>,
  path: string,
  work: string,
][] = [
  ["ftp", "an unread file", startFtpServer, "/big.bin", DEREFERENCE_ONLY_CODE],
  ["ftp", "a partly read file", startFtpServer, "/big.bin", READ_ONE_CHUNK_CODE],
  ["ftp", "an unread directory", startFtpServer, "/", DEREFERENCE_ONLY_CODE],
  ["ftp", "a directory after its first entry is read", startFtpServer, "/", READ_ONE_ENTRY_CODE],
  ["ftp", "a transfer that leaves an idle session", startFtpServer, "/small.bin", READ_ALL_BYTES_CODE],
  ["ftp", "a failure", startFtpServer, "/missing", CATCH_ERROR_CODE],
  ["http", "an unread body", startHttpServer, "/big.bin", DEREFERENCE_ONLY_CODE],
  ["http", "a partly read body", startHttpServer, "/big.bin", READ_ONE_CHUNK_CODE],
  [
    "http",
    "a body that the server never sends",
    createStallingServerStarter("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"),
    "/",
    DEREFERENCE_ONLY_CODE,
  ],
  ["http", "a response that leaves an idle connection", startHttpServer, "/small.bin", READ_ALL_BYTES_CODE],
  ["http", "a failure", startHttpServer, "/missing", CATCH_ERROR_CODE],
  ["gopher", "an unread file", startGopherServer, "/9big.bin", DEREFERENCE_ONLY_CODE],
  ["gopher", "an unread menu", startGopherServer, "/1", DEREFERENCE_ONLY_CODE],
  [
    "gopher",
    "a menu that the server never completes",
    createStallingServerStarter("0a\t/a\th\t70\r\n"),
    "/1",
    READ_ONE_ENTRY_CODE,
  ],
  ["nntp", "an unread article", startNntpServer, "/a.b/1", DEREFERENCE_ONLY_CODE],
  ["nntp", "a partly read article", startNntpServer, "/a.b/1", READ_ONE_CHUNK_CODE],
  ["nntp", "an unread list of articles", startNntpServer, "/a.b", DEREFERENCE_ONLY_CODE],
  ["nntp", "a failure", startNntpServer, "/a.b/9", CATCH_ERROR_CODE],
  ["wais", "an unread search result", startWaisServer, "/d?0123456789abcdef", DEREFERENCE_ONLY_CODE],
  ["wais", "a failure", startWaisServer, "/missing/TEXT/1", CATCH_ERROR_CODE],
  ["telnet", "a session that is never opened", startTelnetServer, "/", DEREFERENCE_ONLY_CODE],
  ["telnet", "a session whose output is unread", startTelnetServer, "/", OPEN_SESSION_CODE],
  ["telnet", "a session after input is sent", startTelnetServer, "/", WRITE_TO_SESSION_CODE],
  ["telnet", "a session after output is read", startTelnetServer, "/", READ_FROM_SESSION_CODE],
  [
    "telnet",
    "a session after the server has answered the input",
    startTelnetServer,
    "/",
    EXCHANGE_WITH_SERVER_CODE,
  ],
  ["telnet", "a session whose input is closed", startTelnetServer, "/", CLOSE_SESSION_INPUT_CODE],
  ["prospero", "an unread object", startProsperoServer, "/f", DEREFERENCE_ONLY_CODE],
  ["prospero", "an unread directory", startProsperoServer, "/d", DEREFERENCE_ONLY_CODE],
];

it.each(PROCESS_CASES)(
  "a process that uses the scheme %s exits without an explicit exit call after %s",
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
        timeout: PROCESS_TIMEOUT_MS,
      },
    );
    expect(stdout).toBe("done\n");
  },
);
