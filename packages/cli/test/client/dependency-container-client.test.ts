import "@abraham/reflection";
import { AccessError, publicInternet, type Scheme } from "@anyscheme/core";
import {
  POLICY_TSYRINGE_TOKEN,
  PROXY_TSYRINGE_TOKEN,
  registerSchemeInTsyringe,
} from "@anyscheme/core/tsyringe";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { container } from "tsyringe";
import { expect, it } from "vitest";
import { runBuiltCommand } from "../run-built-command.ts";
import { startTestServers } from "../test-servers.ts";
import { runCommandInProcess } from "../command-in-process.ts";

/** Returns a scheme of the embedding program that needs no server. */
function createEchoScheme(name: string): Scheme {
  return {
    name,
    syntax: createGenericSyntax({ schemes: [name] }),
    plan: (url) => ({ url, steps: [] }),
    access: () => Promise.reject(new AccessError("unsupported", `the host's own ${name}`)),
  };
}

it("registrations in the tsyringe container of the embedding program replace the parts of the command", async () => {
  const { http } = await startTestServers();
  const url = `http://127.0.0.1:${http.port}/hello.txt`;
  const host = container.createChildContainer();
  expect(await runCommandInProcess(["get", url], { hostContainer: host })).toMatchObject({
    exitCode: 0,
    stdout: "Hello, world\r\n",
  });
  registerSchemeInTsyringe(host, createEchoScheme("x-echo"));
  expect((await runCommandInProcess(["get", "x-echo:1"], { hostContainer: host })).stderr).toContain(
    "the host's own x-echo",
  );
  const withSlash = await runCommandInProcess(["get", "x-echo:1/x"], { hostContainer: host });
  expect(withSlash.stderr).toContain("the host's own x-echo");
  expect(withSlash.stderr).not.toContain("guessed");
  expect(await runCommandInProcess(["get", url], { hostContainer: host })).toMatchObject({ exitCode: 0 });
  host.register(POLICY_TSYRINGE_TOKEN, { useValue: publicInternet() });
  expect(await runCommandInProcess(["get", url], { hostContainer: host })).toMatchObject({
    exitCode: 7,
    stdout: "",
  });
  expect(await runCommandInProcess(["get", "x-echo:1"])).toMatchObject({ exitCode: 1 });
});

it("the command with a container uses the proxy of its options, unless the container has a proxy", async () => {
  const { http } = await startTestServers();
  const args = ["get", "-x", "http://127.0.0.1:22", `http://127.0.0.1:${http.port}/hello.txt`];
  const host = container.createChildContainer();
  expect((await runCommandInProcess(args, { hostContainer: host })).stderr).toContain(
    "the proxy http://127.0.0.1:22",
  );
  host.register(PROXY_TSYRINGE_TOKEN, { useValue: () => undefined });
  expect(await runCommandInProcess(args, { hostContainer: host })).toMatchObject({ exitCode: 0 });
});

it("the command as its own process never loads tsyringe", async () => {
  const folder = new URL("..", import.meta.url).pathname;
  const { stdout, stderr, exitCode } = await runBuiltCommand(["plan", "ftp://h/a"], {
    cwd: folder,
    // With NODE_DEBUG, Node.js prints the modules that it loads.
    env: { NODE_DEBUG: "esm" },
  });
  expect({ exitCode, planned: stdout.includes("RETR a") }).toEqual({ exitCode: 0, planned: true });
  expect(stderr).toContain("core/dist/client/client.js");
  expect(stderr).not.toMatch(/node_modules\/(?:tsyringe|@abraham)/);
});
