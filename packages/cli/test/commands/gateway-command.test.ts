import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { startForbiddenServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { startBuiltCommand } from "../run-built-command.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";

it("anyscheme gateway prints its address, and serves until an interrupt", async () => {
  const command = startBuiltCommand(["gateway", "--port", "0"]);
  const [chunk] = (await once(command.stderr, "data")) as [Buffer];
  const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(chunk)) ?? [];
  const home = await fetch(origin);
  expect(home.status).toBe(200);
  expect(await home.text()).toContain("Open a URL");
  expect((await fetch(`${origin}http/127.0.0.1:${new URL(origin).port}/`)).status).toBe(403);
  command.kill("SIGINT");
  expect(await command.ended).toMatchObject({ signal: null, stdout: "" });
});

it.each<[from: string, args: string[], settings: object]>([
  ["the command line", ["--news-server", "127.0.0.1:1119"], {}],
  ["the configuration file", [], { newsServers: [{ host: "127.0.0.1", port: 1119 }] }],
])(
  "anyscheme gateway reads news from the servers of %s, and checks their addresses and ports",
  async (_, args, settings) => {
    const folder = createTemporaryFolder();
    mkdirSync(join(folder, "anyscheme"));
    writeFileSync(join(folder, "anyscheme", "config.json"), JSON.stringify(settings));
    const command = startBuiltCommand(["gateway", "--port", "0", ...args], {
      env: { XDG_CONFIG_HOME: folder },
    });
    const [chunk] = (await once(command.stderr, "data")) as [Buffer];
    const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(chunk)) ?? [];
    const page = await fetch(`${origin}news/misc.test`);
    expect({ status: page.status, reported: (await page.text()).includes("127.0.0.1 is refused") }).toEqual({
      status: 403,
      reported: true,
    });
    command.kill("SIGINT");
    await command.ended;
  },
);

it.each(["", "a b", "host:0", "nntp://host"])("--news-server %j is a usage error", async (server) => {
  const { exitCode, stderr } = await runCommandInProcess(["gateway", "--news-server", server]);
  expect({ exitCode, reported: stderr.includes("--news-server needs a host") }).toEqual({
    exitCode: 2,
    reported: true,
  });
});

it("anyscheme gateway reports a port that is in use, and suggests another port", async () => {
  await using server = await startForbiddenServer();
  const { exitCode, stderr } = await runCommandInProcess(["gateway", "--port", String(server.port)]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 45,
    stderr:
      `anyscheme: cannot listen at 127.0.0.1 port ${server.port}: address already in use\n` +
      "choose another port with --port, or any free port with --port 0\n",
  });
});

it.each(["-1", "65536", "x", "80.5"])("--port %s is a usage error", async (port) => {
  const { exitCode, stderr } = await runCommandInProcess(["gateway", `--port=${port}`]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--port needs a port");
});
