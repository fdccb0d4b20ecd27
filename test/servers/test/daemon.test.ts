import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDaemon } from "../src/daemon/daemon.ts";
import { findFreePort } from "../src/daemon/free-port.ts";
import { launchServer, type Launch } from "../src/daemon/launch.ts";
import { pollUntil } from "../src/daemon/poll.ts";
import { isAlive } from "./processes.ts";

const node = (script: string) => ({
  program: process.execPath,
  args: ["-e", script],
  environment: { GIVEN: "yes" },
});
const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up", process.env.GIVEN)`;
const polite = `setInterval(() => {}, 1000); console.log("up")`;
const portTaken = `console.error("bind: Address already in use"); process.exit(1)`;

describe("a daemon", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "daemon-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it("is killed when it ignores SIGTERM", async () => {
    const daemon = await startDaemon(node(stubborn), directory);
    expect(await pollUntil(() => daemon.output() === "up yes\n", 5000)).toBe(true);
    await daemon.stop();
    expect(isAlive(daemon.pid)).toBe(false);
  });

  it("ends with its child processes", async () => {
    const parent = `console.log(require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}]).pid)`;
    const daemon = await startDaemon(node(`${parent}; setInterval(() => {}, 1000)`), directory);
    await pollUntil(() => daemon.output().endsWith("\n"), 5000);
    const child = Number(daemon.output());
    expect(isAlive(child)).toBe(true);
    await daemon.stop();
    expect(await pollUntil(() => !isAlive(child), 2000)).toBe(true);
  });
});

describe("launching", () => {
  const launch = (script: string): Launch => ({
    name: "nginx",
    address: "127.0.0.1",
    files: {},
    prepare: () => Promise.resolve(node(script)),
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("up")),
  });

  it("reports the output of a program that ended early", async () => {
    await expect(launchServer(launch(`console.error("no way"); process.exit(1)`))).rejects.toThrow(
      "ended while it was starting: no way",
    );
  });

  it("tries another port when one is taken", async () => {
    const ports: number[] = [];
    const { server } = await launchServer({
      ...launch(""),
      prepare: ({ port }) => Promise.resolve(node(ports.push(port) < 3 ? portTaken : polite)),
    });
    await server.stop();
    expect(ports).toContain(server.port);
    expect(new Set(ports).size).toBe(3);
  });

  it("never returns a port twice", async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => findFreePort("127.0.0.1")));
    expect(new Set(ports).size).toBe(20);
  });
});
