import { afterEach, expect, it, vi } from "vitest";
import type { TestProject } from "vitest/node";
import type { ServerAvailability } from "../src/programs/download-missing-servers.ts";
import { setup, teardown } from "../src/vitest-global-setup.ts";

const serverAvailabilities: ServerAvailability[] = [
  { name: "nginx", available: true, reason: "", installCommand: "" },
  { name: "vsftpd", available: false, reason: "no apt-get", installCommand: "apt-get install vsftpd" },
];

vi.mock("../src/programs/download-missing-servers.ts", () => ({
  downloadMissingServers: () => Promise.resolve(serverAvailabilities),
}));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const missingServerLine =
  "the tests against vsftpd did not run (no apt-get); to install it: apt-get install vsftpd";

it("setup provides the availability of the servers, and teardown lists the missing servers", async () => {
  vi.stubEnv("CI", undefined);
  const provide = vi.fn();
  await setup({ provide } as unknown as TestProject);
  expect(provide).toHaveBeenCalledWith("servers", serverAvailabilities);
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  teardown();
  expect(write.mock.calls).toEqual([[`${missingServerLine}\n`]]);
});

it("setup throws for a missing server when the environment variable CI is set", async () => {
  vi.stubEnv("CI", "true");
  await expect(setup({ provide: vi.fn() } as unknown as TestProject)).rejects.toThrow(missingServerLine);
});
