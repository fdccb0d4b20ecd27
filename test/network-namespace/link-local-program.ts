/**
 * Starts servers at the same link-local address on two network interfaces, runs the command and the library, and prints
 * the results as JSON. The test starts this program in a network namespace with the interfaces `one` and `two`.
 */
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { anyAddress, createClient } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { http } from "@anyscheme/scheme-http";
import { createRecordingConnectionContext } from "../../packages/core/test/network/recording-connection-context.ts";
import { openDatagramSocket } from "../../packages/core/src/network/udp.ts";

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface LinkLocalProgramReport {
  readonly commands: Readonly<Record<string, CommandResult>>;
  readonly httpRequests: readonly string[];
  readonly ftpDataPeers: readonly string[];
  readonly libraryCache: readonly string[];
  readonly datagram: string;
  readonly httpPort: number;
}

const ADDRESS = "fe80::aa";
const requests: string[] = [];
const ftpDataPeers: string[] = [];

const createZoneServer = (zone: string): ReturnType<typeof createHttpServer> =>
  createHttpServer(({ url = "", headers }, response) => {
    requests.push(`${zone} ${url} ${headers.host}`);
    response.setHeader("cache-control", "max-age=60");
    if (url === "/redirect") response.writeHead(302, { location: `http://[${ADDRESS}]:${httpPort}/target` });
    if (url === "/zone") response.writeHead(302, { location: `http://[${ADDRESS}%25two]:${httpPort}/` });
    response.end(zone);
  });
const first = createZoneServer("one").listen(0, `${ADDRESS}%one`);
await once(first, "listening");
const { port: httpPort } = first.address() as AddressInfo;
const second = createZoneServer("two").listen(httpPort, `${ADDRESS}%two`);
await once(second, "listening");

const dataServer = createServer((socket) => {
  ftpDataPeers.push(socket.remoteAddress ?? "");
  socket.end("a file");
}).listen(0, `${ADDRESS}%one`);
await once(dataServer, "listening");
const { port: dataPort } = dataServer.address() as AddressInfo;
const FTP_REPLIES: Readonly<Record<string, string>> = {
  USER: "230 in",
  TYPE: "200 ok",
  EPSV: `229 (|||${dataPort}|)`,
  RETR: "150 file\r\n226 done",
  QUIT: "221 bye",
};
const ftpServer = createServer((socket) => {
  // The command `anyscheme` may reset the connection after its last FTP command.
  socket.on("error", () => undefined).write("220 ready\r\n");
  socket.setEncoding("latin1").on("data", (lines: string) => {
    for (const line of lines.split("\r\n").slice(0, -1))
      socket.write(`${FTP_REPLIES[line.slice(0, 4)] ?? "500 unknown"}\r\n`);
  });
}).listen(0, `${ADDRESS}%one`);
await once(ftpServer, "listening");
const { port: ftpPort } = ftpServer.address() as AddressInfo;

const echo = createSocket("udp6", (bytes, { address, port }) => echo.send(bytes, port, address));
echo.bind(0, `${ADDRESS}%one`);
await once(echo, "listening");

const command = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
function run(...args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [command, ...args], (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

const folder = mkdtempSync(join(tmpdir(), "anyscheme-zone-"));
const index = networkInterfaces()["two"]?.find(({ family }) => family === "IPv6") as { scopeid: number };
const urlIn = (zone: string, path: string): string => `http://[${ADDRESS}${zone}]:${httpPort}${path}`;
const commands = {
  zone: await run("get", "-v", urlIn("%one", "/name")),
  oldForm: await run("get", urlIn("%25two", "/old-form")),
  number: await run("get", urlIn(`%${index.scopeid}`, "/number")),
  withoutScheme: await run("get", `[${ADDRESS}%two]:${httpPort}/without-scheme`),
  redirect: await run("get", urlIn("%two", "/redirect")),
  redirectWithZone: await run("get", urlIn("%one", "/zone")),
  unknown: await run("get", urlIn("%nope", "/unknown")),
  cached: await run("get", "--cache", folder, urlIn("%one", "/cached")),
  cachedInOtherZone: await run("get", "--cache", folder, urlIn("%two", "/cached")),
  ftp: await run("get", "-v", `ftp://[${ADDRESS}%one]:${ftpPort}/file`),
};
rmSync(folder, { recursive: true });

const libraryCache: string[] = [];
{
  const policy = anyAddress();
  const schemes = [http()];
  // Node.js 22 runs this file without a compiler, and has no `await using`.
  const client = createClient({ schemes, policy, cache: memoryCache(), linkLocalZone: "two" });
  for (const cache of ["default", "force-cache", "no-cache"] as const)
    libraryCache.push(await client.text(urlIn("", "/library"), { cache }));
  const onlyIfCached = client.text(urlIn("", "/library"), { cache: "only-if-cached" });
  libraryCache.push(await onlyIfCached.catch((error: unknown) => (error as { code: string }).code));
  await client.destroy();
}

const context = createRecordingConnectionContext({ linkLocalZone: "one" });
const datagrams = await openDatagramSocket(context, { host: ADDRESS, port: echo.address().port });
await datagrams.send(Buffer.from("a datagram"));
const datagram = Buffer.from((await datagrams.receive()) ?? []).toString();
datagrams.close();

const result: LinkLocalProgramReport = {
  commands,
  httpRequests: requests,
  ftpDataPeers,
  libraryCache,
  datagram,
  httpPort,
};
console.log(JSON.stringify(result));
process.exit();
