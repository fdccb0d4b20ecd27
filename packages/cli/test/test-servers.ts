import { startFtpTestServer, startGopherTestServer, startHttpFileTestServer } from "@anyscheme/servers";
import { type LoopbackServer, startRecordingProxy } from "@anyscheme/core/testing";
import { afterAll } from "vitest";

/** A body with all byte values, so that tests detect a conversion of line ends. */
export const binaryFileContent: Uint8Array = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);

const servedFiles = {
  "hello.txt": "Hello, world\r\n",
  "data.bin": binaryFileContent,
  "pub/a b.txt": "a\r\n",
  "pub/\u001b[31mred": "x",
  "index.html": "<p>index\n",
};

/** Test servers for FTP, Gopher and HTTP, each behind a proxy that records the bytes which the client sends. */
export interface TestServers {
  readonly ftp: LoopbackServer;
  readonly gopher: LoopbackServer;
  readonly http: LoopbackServer;
}

export async function startTestServers(): Promise<TestServers> {
  const servers = await Promise.all([
    startFtpTestServer({ files: servedFiles, users: { joe: "Needle" } }),
    startGopherTestServer({ files: servedFiles }),
    startHttpFileTestServer({
      files: servedFiles,
      redirects: { "/moved": { status: 302, location: "/hello.txt" } },
    }),
  ]);
  const [ftp, gopher, http] = await Promise.all(servers.map(({ port }) => startRecordingProxy(port)));
  if (!ftp || !gopher || !http) throw new Error("a server is missing");
  afterAll(() => Promise.all([...servers, ftp, gopher, http].map((server) => server.stop())));
  return { ftp, gopher, http };
}
