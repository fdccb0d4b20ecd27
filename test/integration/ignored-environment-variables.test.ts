import { readdirSync, readFileSync } from "node:fs";
import { createClient, type Scheme, anyAddress } from "@anyscheme/core";
import { startForbiddenServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gophers } from "@anyscheme/scheme-gopher";
import { https } from "@anyscheme/scheme-http";
import { nntps } from "@anyscheme/scheme-others";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RECORDING_SERVER_STARTERS, type StartRecordingServer } from "../guard/servers/recording-servers.ts";
import { createTlsRecordingServerStarter } from "../guard/servers/tls-recording-server.ts";
import { SCHEME_SERVER_STARTERS } from "../fixtures/scheme-server-starters.ts";

/** The prefixes of variables that configure a proxy in other programs. */
const PROXY_VARIABLE_PREFIXES = ["http", "https", "ftp", "gopher", "wais", "news", "nntp", "all", "socks"];

/** Variables that disable certificate checks in Node.js or its libraries, or that add trusted certificates. */
const TRUST_VARIABLES: Readonly<Record<string, string>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: "0",
  NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt",
  SSL_CERT_FILE: "/etc/ssl/certs/ca-certificates.crt",
};

/**
 * The environment variables that the command `anyscheme` reads, each with its purpose. None of these variables changes
 * a rule of the guard.
 */
const VARIABLES_READ_BY_COMMAND: Readonly<Record<string, string>> = {
  NNTPSERVER: "the server from which news articles are read",
  NO_COLOR: "disables colours in the output",
  SystemRoot: "the Windows folder, which contains the program that opens mailto URLs",
  TERM: "the terminal type",
};
/** The source file that reads proxy variables such as `http_proxy`, only when a program calls its function. */
const PROXY_VARIABLES_FILE = "core/src/network/proxy/proxy-from-environment.ts";
/** The source file that passes all environment variables to the search for the configuration file. */
const ENVIRONMENT_FORWARDING_FILE = "cli/src/terminal/process-io.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("environment variables", () => {
  it.each(Object.entries(SCHEME_SERVER_STARTERS))(
    "environment variables do not make the scheme %s use a proxy",
    async (_name, start) => {
      await using tripwire = await startForbiddenServer();
      const proxy = `http://127.0.0.1:${tripwire.port}`;
      for (const name of PROXY_VARIABLE_PREFIXES) {
        for (const variable of [`${name}_proxy`, `${name.toUpperCase()}_PROXY`]) vi.stubEnv(variable, proxy);
      }
      vi.stubEnv("NODE_USE_ENV_PROXY", "1");
      vi.stubEnv("no_proxy", "");
      const served = await start();
      const { scheme, contentUrl: url, allowedPorts: ports } = served;
      try {
        const allowPorts = { [scheme.name]: ports, nntp: ports };
        await using client = createClient({ schemes: [scheme], policy: anyAddress({ allowPorts }) });
        const resource = await client.dereference(url);
        expect(resource.kind).toBe("content");
        if (resource.kind === "content") expect((await resource.bytes()).length).toBeGreaterThan(0);
      } finally {
        await served.stop();
      }
      expect(tripwire.connections).toEqual([]);
    },
  );
});

describe("an untrusted certificate", () => {
  it.each<[string, Scheme, StartRecordingServer]>([
    ["https", https(), RECORDING_SERVER_STARTERS.http],
    ["ftp", ftp({ tls: "implicit" }), RECORDING_SERVER_STARTERS.ftp],
    ["gophers", gophers(), RECORDING_SERVER_STARTERS.gopher],
    ["nntps", nntps(), RECORDING_SERVER_STARTERS.nntp],
  ])(
    "the scheme %s refuses an untrusted certificate regardless of environment variables",
    async (_, scheme, start) => {
      vi.spyOn(process, "emitWarning").mockReturnValue();
      for (const [name, value] of Object.entries(TRUST_VARIABLES)) vi.stubEnv(name, value);
      await using recorder = await createTlsRecordingServerStarter(start)();
      await using client = createClient({
        schemes: [scheme],
        policy: anyAddress({ allowPorts: { [scheme.name]: [recorder.port] } }),
      });
      const path = scheme.name === "nntps" ? "a.b/1" : "0a";
      const work = client.dereference(`${scheme.name}://127.0.0.1:${recorder.port}/${path}`);
      await expect(work).rejects.toMatchObject({ code: "unavailable", certificate: "untrusted" });
      expect(await recorder.receivedSinceConnection(0)).toBe("");
    },
  );
});

it("only the command and proxyFromEnvironment() read environment variables, and only those that change no security rule", () => {
  const packages = new URL("../../packages/", import.meta.url);
  const uses =
    /process\.env(?:\["(\w+)"\]|\.(\w+))?|import\.meta\.env|\bloadEnvFile\b|"node:process"|\} = process\b(?!\.getBuiltinModule)/g;
  const found = (readdirSync(packages, { recursive: true }) as string[])
    .filter((name) => /^[^/]+\/src\/.*\.ts$/.test(name))
    .flatMap((file) =>
      [...readFileSync(new URL(file, packages), "utf8").matchAll(uses)].map(([whole, one, other]) => ({
        file,
        what: one ?? other ?? whole,
      })),
    );
  const known = ({ file, what }: (typeof found)[number]): boolean =>
    (file === PROXY_VARIABLES_FILE && what === "process.env") ||
    (file.startsWith("cli/") &&
      (Object.hasOwn(VARIABLES_READ_BY_COMMAND, what) ||
        (file === ENVIRONMENT_FORWARDING_FILE && what === "process.env")));
  expect(found.filter((use) => !known(use))).toEqual([]);
  // The sources read every variable in `VARIABLES_READ_BY_COMMAND`.
  expect(
    [
      ...new Set(
        found.map(({ what }) => what).filter((what) => Object.hasOwn(VARIABLES_READ_BY_COMMAND, what)),
      ),
    ].toSorted(),
  ).toEqual(Object.keys(VARIABLES_READ_BY_COMMAND).toSorted());
});
