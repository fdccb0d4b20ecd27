import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnDaemonProcess } from "../../src/daemon/daemon.ts";
import { findFreePort } from "../../src/daemon/free-port.ts";
import { launchServer, type LaunchSteps } from "../../src/daemon/launch-server.ts";
import { pollUntilTrueOrTimeout } from "../../src/daemon/poll-until.ts";
import { isProcessAlive } from "./stop-server-and-expect-cleanup.ts";

const createNodeCommand = (script: string) => ({
  program: process.execPath,
  args: ["-e", script],
  environment: { GIVEN: "yes" },
});
const sigtermIgnoringScript = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up", process.env.GIVEN)`;
const sigtermObeyingScript = `setInterval(() => {}, 1000); console.log("up")`;
const portInUseScript = `console.error("bind: Address already in use"); process.exit(1)`;

describe("spawnDaemonProcess", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "daemon-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it("stop() kills a daemon that ignores SIGTERM", async () => {
    const daemon = await spawnDaemonProcess(createNodeCommand(sigtermIgnoringScript), directory);
    expect(await pollUntilTrueOrTimeout(() => daemon.output() === "up yes\n", 5000)).toBe(true);
    await daemon.stop();
    expect(isProcessAlive(daemon.pid)).toBe(false);
  });

  it("stop() ends the child processes of a daemon too", async () => {
    const parent = `console.log(require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(sigtermIgnoringScript)}]).pid)`;
    const daemon = await spawnDaemonProcess(
      createNodeCommand(`${parent}; setInterval(() => {}, 1000)`),
      directory,
    );
    await pollUntilTrueOrTimeout(() => daemon.output().endsWith("\n"), 5000);
    const child = Number(daemon.output());
    expect(isProcessAlive(child)).toBe(true);
    await daemon.stop();
    expect(await pollUntilTrueOrTimeout(() => !isProcessAlive(child), 2000)).toBe(true);
  });
});

describe("launchServer", () => {
  const launchSteps = (script: string): LaunchSteps => ({
    name: "nginx",
    address: "127.0.0.1",
    documentRootFiles: {},
    prepare: () => Promise.resolve(createNodeCommand(script)),
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("up")),
  });

  it("launchServer reports the output of a program that ends during its start", async () => {
    await expect(
      launchServer(launchSteps(`console.error("cannot open socket"); process.exit(1)`)),
    ).rejects.toThrow("ended while it was starting: cannot open socket");
  });

  it("launchServer tries another port when a port is in use", async () => {
    const ports: number[] = [];
    const { server } = await launchServer({
      ...launchSteps(""),
      prepare: ({ port }) =>
        Promise.resolve(createNodeCommand(ports.push(port) < 3 ? portInUseScript : sigtermObeyingScript)),
    });
    await server.stop();
    expect(ports).toContain(server.port);
    expect(new Set(ports).size).toBe(3);
  });

  it("findFreePort returns 20 different ports for 20 concurrent calls", async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => findFreePort("127.0.0.1")));
    expect(new Set(ports).size).toBe(20);
  });
});
