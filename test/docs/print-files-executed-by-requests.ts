// A program that prints the source files whose functions run during a plan, an ftp request and an http request.
import { Session } from "node:inspector/promises";
import { anyAddress, type Client, createClient } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { startFtpTestServer, startHttpFileTestServer } from "@anyscheme/servers";

const httpServer = await startHttpFileTestServer({ files: { p: "hello" } });
const ftpServer = await startFtpTestServer({ files: { "a/b": "hello" } });
const ftpUrl = `ftp://127.0.0.1:${ftpServer.port}/a/b`;
const httpUrl = `http://127.0.0.1:${httpServer.port}/p`;

const createTestClient = (): Client =>
  createClient({
    schemes: [ftp(), http()],
    policy: anyAddress({ allowPorts: { ftp: [ftpServer.port], http: [httpServer.port] } }),
  });

async function dereferenceAndRead(client: Client, url: string): Promise<void> {
  const resource = await client.dereference(url);
  if (resource.kind === "content") await resource.text();
}

// The first requests load modules, whose top-level code is no part of a request.
for (const url of [ftpUrl, httpUrl]) {
  await using client = createTestClient();
  await dereferenceAndRead(client, url);
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");

async function listExecutedFiles(run: (client: Client) => unknown): Promise<string[]> {
  const client = createTestClient();
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await run(client);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  await client.destroy();
  return result.flatMap(({ url, functions }) => {
    const [, scheme, path] = /\/packages\/([^/]+)\/dist\/(.*)\.js$/.exec(url) ?? [];
    const isExecuted = functions.some(
      ({ ranges: [whole] }) => whole && whole.count > 0 && whole.startOffset > 0,
    );
    return path !== undefined && isExecuted ? [`${scheme}/${path}.ts`] : [];
  });
}

const files = {
  plan: await listExecutedFiles((client) => client.plan(ftpUrl)),
  http: await listExecutedFiles((client) => dereferenceAndRead(client, httpUrl)),
  ftp: await listExecutedFiles((client) => dereferenceAndRead(client, ftpUrl)),
};
console.log(JSON.stringify(files));
await httpServer.stop();
await ftpServer.stop();
