import { afterEach, expect, it, vi } from "vitest";
import type { TestProject } from "vitest/node";
import type { ServerAvailability } from "../src/programs/prepare.ts";
import { setup, teardown } from "../src/vitest-setup.ts";

const servers: ServerAvailability[] = [
  { name: "nginx", available: true, reason: "", howToGet: "" },
  { name: "vsftpd", available: false, reason: "no apt-get", howToGet: "apt-get install vsftpd" },
];

vi.mock("../src/programs/prepare.ts", () => ({ prepareServers: () => Promise.resolve(servers) }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const line = "the tests against vsftpd did not run (no apt-get); to get it: apt-get install vsftpd";

it("provides what there is, and names what is missing at the end", async () => {
  vi.stubEnv("CI", undefined);
  const provide = vi.fn();
  await setup({ provide } as unknown as TestProject);
  expect(provide).toHaveBeenCalledWith("servers", servers);
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  teardown();
  expect(write.mock.calls).toEqual([[`${line}\n`]]);
});

it("fails for a missing server where CI is set", async () => {
  vi.stubEnv("CI", "true");
  await expect(setup({ provide: vi.fn() } as unknown as TestProject)).rejects.toThrow(line);
});
