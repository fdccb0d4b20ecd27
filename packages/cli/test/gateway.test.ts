import { once } from "node:events";
import { expect, it } from "vitest";
import { runCommand, startCommand } from "./command.ts";

it("the gateway serves until it is interrupted, and says where", async () => {
  const command = startCommand(["gateway", "--port", "0"]);
  const [chunk] = (await once(command.stderr, "data")) as [Buffer];
  const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(chunk)) ?? [];
  const home = await fetch(origin);
  expect(home.status).toBe(200);
  expect(await home.text()).toContain("Any URL");
  expect((await fetch(`${origin}http/127.0.0.1:${new URL(origin).port}/`)).status).toBe(403);
  command.kill("SIGINT");
  expect(await command.ended).toMatchObject({ signal: null, out: "" });
});

it.each(["-1", "65536", "x", "80.5"])("--port %s makes no sense", async (port) => {
  const { exit, err } = await runCommand(["gateway", `--port=${port}`]);
  expect(exit).toBe(2);
  expect(err).toContain("--port needs a port");
});
