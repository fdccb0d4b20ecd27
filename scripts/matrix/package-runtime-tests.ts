import { createServer } from "node:tls";
import { startScriptedServer } from "@anyscheme/core/testing";
import { startGopherTestServer, startHttpFileTestServer } from "@anyscheme/servers";
import {
  SERVER_CERTIFICATE_PEM,
  SERVER_PRIVATE_KEY_PEM,
} from "../../packages/scheme-http/test/test-certificates.ts";
import {
  type PublishedPackage,
  readPublishedPackages,
} from "../../test/packaging/published-package-manifests.ts";
import { SCHEME_SERVER_STARTERS } from "../../test/fixtures/scheme-server-starters.ts";
import {
  type TestProgramInput,
  COMPILE_CACHE_TEST_PROGRAM_SOURCE,
  GATEWAY_TEST_PROGRAM_SOURCE,
  GUARDED_FETCH_TEST_PROGRAM_SOURCE,
  GUARDED_HTTP_AGENT_TEST_PROGRAM_SOURCE,
  createImportTestProgramSource,
  MAILTO_CLIENT_TEST_PROGRAM_SOURCE,
  USER_DEFINED_SCHEME_TEST_PROGRAM_SOURCE,
  createDereferenceTestProgramSource,
  TELNET_CLIENT_TEST_PROGRAM_SOURCE,
} from "./runtime-test-programs.ts";

/** A running server, and the input with which a test program connects to it. */
interface RunningTestServer extends TestProgramInput {
  readonly stop: () => Promise<void>;
}

/** One row of the matrix: a feature of a package, which is tested in a project with only this package. */
export interface PackageRuntimeTest {
  /** The folder in `packages/` of the tested package. */
  readonly packageFolder: string;
  readonly name: string;
  /** The source of a test program, or the arguments of the command `anyscheme`. */
  readonly program: string | readonly string[];
  /** Starts the server to which the program connects. */
  readonly startServer?: (project: string) => Promise<RunningTestServer>;
}

const SERVED_TEXT = "Some bytes, and no more.\r\n";

function createServerTest(folder: string, name: string, module: string): PackageRuntimeTest {
  return {
    packageFolder: folder,
    name,
    program: createDereferenceTestProgramSource(module, name),
    async startServer() {
      const server = await SCHEME_SERVER_STARTERS[name]?.();
      if (!server) throw new Error(`nothing serves ${name}`);
      const { contentUrl: url, allowedPorts: ports } = server;
      const options = name === "news" ? { servers: [`localhost:${ports[0]}`] } : {};
      return { url, ports, options, stop: () => server.stop() };
    },
  };
}

/**
 * Returns the matrix row that tests a scheme of a package over TLS. The TLS server of the test sends `answer` to every
 * request.
 */
function createTlsServerTest(
  folder: string,
  name: string,
  module: string,
  answer: string,
): PackageRuntimeTest {
  return {
    packageFolder: folder,
    name,
    program: createDereferenceTestProgramSource(module, name),
    async startServer() {
      const server = createServer({ cert: SERVER_CERTIFICATE_PEM, key: SERVER_PRIVATE_KEY_PEM }, (socket) => {
        socket.on("error", () => undefined).once("data", () => socket.end(answer));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as { port: number };
      return {
        url: `${name}://127.0.0.1:${port}/0/text`,
        ports: [port],
        options: { ca: SERVER_CERTIFICATE_PEM },
        stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
      };
    },
  };
}

async function startGopherServer(): Promise<RunningTestServer> {
  const server = await startGopherTestServer({ files: { "text.txt": SERVED_TEXT } });
  const url = `gopher://127.0.0.1:${server.port}/0/text.txt`;
  return { url, ports: [server.port], stop: () => server.stop() };
}

async function startPageServer(): Promise<RunningTestServer> {
  const server = await startHttpFileTestServer({ files: { "text.txt": SERVED_TEXT } });
  return {
    url: `http://127.0.0.1:${server.port}/text.txt`,
    ports: [server.port],
    stop: () => server.stop(),
  };
}

async function startTextServer(scheme: string): Promise<RunningTestServer> {
  const server = await startScriptedServer((peer) => peer.send(SERVED_TEXT));
  return { url: `${scheme}://127.0.0.1:${server.port}/bob`, ports: [server.port], stop: () => server.stop() };
}

const createOtherSchemeTest = (name: string): PackageRuntimeTest =>
  createServerTest("scheme-others", name, `@anyscheme/scheme-others/${name}`);

const createImportTest = ({
  folder,
  manifest,
  entryPoints: entries,
}: PublishedPackage): PackageRuntimeTest => ({
  packageFolder: folder,
  name: `import ${manifest.name}`,
  program: createImportTestProgramSource(entries),
});

export const PACKAGE_RUNTIME_TESTS: readonly PackageRuntimeTest[] = [
  ...readPublishedPackages().map(createImportTest),
  {
    packageFolder: "core",
    name: "a user-defined scheme",
    program: USER_DEFINED_SCHEME_TEST_PROGRAM_SOURCE,
    startServer: () => startTextServer("x-finger"),
  },
  createServerTest("scheme-ftp", "ftp", "@anyscheme/scheme-ftp"),
  createServerTest("scheme-gopher", "gopher", "@anyscheme/scheme-gopher"),
  createTlsServerTest("scheme-gopher", "gophers", "@anyscheme/scheme-gopher", SERVED_TEXT),
  createServerTest("scheme-http", "http", "@anyscheme/scheme-http"),
  createTlsServerTest(
    "scheme-http",
    "https",
    "@anyscheme/scheme-http",
    `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${SERVED_TEXT.length}\r\nConnection: close\r\n\r\n${SERVED_TEXT}`,
  ),
  {
    packageFolder: "scheme-others",
    name: "file",
    program: createDereferenceTestProgramSource("@anyscheme/scheme-others/file", "file"),
    startServer: async (project) => ({
      url: "file:///file.mjs",
      ports: [],
      options: { root: project },
      stop: () => Promise.resolve(),
    }),
  },
  { packageFolder: "scheme-others", name: "mailto", program: MAILTO_CLIENT_TEST_PROGRAM_SOURCE },
  ...["news", "nntp", "prospero", "wais"].map(createOtherSchemeTest),
  {
    packageFolder: "scheme-others",
    name: "telnet",
    program: TELNET_CLIENT_TEST_PROGRAM_SOURCE,
    startServer: async () => {
      const server = await startTextServer("telnet");
      return { ...server, url: server.url.replace("/bob", "/") };
    },
  },
  {
    packageFolder: "core",
    name: "guarded node:http",
    program: GUARDED_HTTP_AGENT_TEST_PROGRAM_SOURCE,
    startServer: startPageServer,
  },
  {
    packageFolder: "undici",
    name: "guarded fetch",
    program: GUARDED_FETCH_TEST_PROGRAM_SOURCE,
    startServer: startPageServer,
  },
  {
    packageFolder: "gateway",
    name: "a page of the gateway",
    program: GATEWAY_TEST_PROGRAM_SOURCE,
    startServer: startGopherServer,
  },
  { packageFolder: "cli", name: "anyscheme get", program: ["get"], startServer: startGopherServer },
  { packageFolder: "cli", name: "the compile cache", program: COMPILE_CACHE_TEST_PROGRAM_SOURCE },
];
