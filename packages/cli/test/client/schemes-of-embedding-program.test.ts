import "@abraham/reflection";
import { publicInternet, type Scheme } from "@anyscheme/core";
import {
  CREDENTIALS_TSYRINGE_TOKEN,
  POLICY_TSYRINGE_TOKEN,
  registerSchemeInTsyringe,
} from "@anyscheme/core/tsyringe";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { file } from "@anyscheme/scheme-others/file";
import { container, type DependencyContainer } from "tsyringe";
import { expect, it } from "vitest";
import { xFinger } from "../../../../examples/src/x-finger.ts";
import { runCommandLine } from "../../src/run-command-line.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { type CommandInProcessResult, runCommandInProcess, TestCliIo } from "../command-in-process.ts";

/** Returns a container with two schemes of an embedding program: `x-finger`, and one that replaces `gopher`. */
function createHostContainer(): DependencyContainer {
  const host = container.createChildContainer();
  registerSchemeInTsyringe(host, xFinger());
  registerSchemeInTsyringe(host, {
    ...(xFinger() as Scheme),
    name: "gopher",
    syntax: createGenericSyntax({ schemes: ["gopher"], defaultPort: 7070, hierarchy: true }),
  });
  return host;
}

const run = (args: readonly string[], input: readonly string[] = []): Promise<CommandInProcessResult> =>
  runCommandInProcess(args, { hostContainer: createHostContainer(), input });

it("schemes lists the schemes of the embedding program, which replace those of the command", async () => {
  const { stdout } = await run(["schemes"]);
  expect(stdout).toContain("x-finger     79  -\n");
  expect(stdout.match(/^gopher .*/gm)).toEqual(["gopher     7070  -"]);
  expect((await run(["schemes", "--json"])).stdout).toContain('{"scheme":"x-finger","defaultPort":79}\n');
});

it("parse shows the components that the syntax of the embedding program's scheme defines", async () => {
  expect((await run(["parse", "x-finger://h.example/bob"])).stdout).toContain("port         79 (default)");
  expect((await run(["parse", "gopher://h.example/a?b"])).stdout).toMatch(/^search +b$/m);
});

it("extract and lint find the URLs of the schemes of the embedding program", async () => {
  const text = ["See x-finger://h.example/bob, or gopher://h.example/a?b.\n"];
  expect((await run(["extract"], text)).stdout).toBe("x-finger://h.example/bob\ngopher://h.example/a?b\n");
  expect((await run(["lint"], ["See x-finger://h.example/~bob.\n"])).stdout).toContain('write "%7E"');
});

it.each([
  [["get", "x-fingr://h.example/bob"], "did you mean x-finger?"],
  [["get", "x-finger//h.example/bob"], 'write "x-finger://h.example/bob"'],
  [["parse", "x-finger//h.example/bob"], 'write "x-finger://h.example/bob"'],
  [["get", "x-none:a"], ", mailto, news,"],
  [["get", "x-none:a"], ", x-finger"],
])("the suggestion for %j considers the schemes of the embedding program", async (args, suggestion) => {
  expect((await run(args)).stderr).toContain(suggestion);
});

it("the gateway serves the schemes of the embedding program except file, under the policy of the embedding program", async () => {
  const host = createHostContainer();
  registerSchemeInTsyringe(host, file({ root: createTemporaryFolder() }));
  host.register(POLICY_TSYRINGE_TOKEN, { useValue: publicInternet({ allowPorts: { "x-finger": [9] } }) });
  host.register(CREDENTIALS_TSYRINGE_TOKEN, {
    useValue: () => {
      throw new Error("a gateway must not use the credentials of the embedding program");
    },
  });
  const { promise: started, resolve: start } = Promise.withResolvers<string>();
  const io = new TestCliIo({ hostContainer: host, onStderrWrite: start });
  const running = runCommandLine(["gateway", "--port", "0"], io);
  const [, schemes = "", origin = ""] = /^serving (.*) at (\S+)/.exec(await started) ?? [];
  expect(schemes.split(", ")).toEqual(expect.arrayContaining(["x-finger", "gopher", "http"]));
  expect(schemes).not.toContain("file");
  const page = await fetch(`${origin}x-finger/127.0.0.1:9/bob`);
  expect({ status: page.status, reported: (await page.text()).includes("127.0.0.1 is refused") }).toEqual({
    status: 403,
    reported: true,
  });
  io.interrupt("interrupted");
  expect(await running).toBe(0);
});
