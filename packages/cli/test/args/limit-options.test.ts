import { DEFAULT_CORE_LIMITS } from "@anyscheme/core";
import { expect, it } from "vitest";
import { formatHelp } from "../../src/args/help.ts";
import { parseMaxTimeSeconds } from "../../src/args/parse-option-values.ts";
import { LIMIT_OPTION_DEFINITIONS, parseLimits } from "../../src/args/limit-options.ts";
import type { OptionValues } from "../../src/args/options.ts";
import { runCommandInProcess } from "../command-in-process.ts";
import { binaryFileContent, type TestServers, startTestServers } from "../test-servers.ts";
import { beforeAll } from "vitest";

it.each<[values: OptionValues, limits: object]>([
  [{}, {}],
  [{ "max-filesize": "10" }, { maxStreamBytes: 10 }],
  [{ "max-filesize": "1.5k" }, { maxStreamBytes: 1536 }],
  [{ "max-listing-size": "20M" }, { maxListingBytes: 20 * 2 ** 20 }],
  [{ "max-filesize": "2g" }, { maxStreamBytes: 2 ** 31 }],
  [{ "idle-timeout": "0.5" }, { idleTimeoutMs: 500 }],
  [
    { "response-timeout": "none", "max-redirs": "2" },
    { callTimeoutMs: Infinity, maxRedirects: 2 },
  ],
  [{ "max-depth": "3" }, {}],
])("the command-line options %j set the client limits %j", (values, limits) => {
  expect(parseLimits(values)).toEqual(limits);
});

it.each<[option: string, reported: string]>([
  ["--max-filesize=0", "--max-filesize needs a number of bytes such as 500k, 20M or 1.5G, or none"],
  ["--max-filesize=-1", "--max-filesize needs a number of bytes"],
  ["--max-filesize=1T", "--max-filesize needs a number of bytes"],
  ["--max-filesize=1e9", "--max-filesize needs a number of bytes"],
  ["--max-entries=1.5", "--max-entries needs a whole number above 0, or none"],
  ["--idle-timeout=soon", "--idle-timeout needs a number of seconds above 0 and up to 2147483, or none"],
  ["--max-depth=0", "--max-depth needs a whole number above 0, or none"],
  ["--max-time=0", "--max-time needs a number of seconds above 0 and up to 2147483, or none"],
  ["--idle-timeout=9999999", "--idle-timeout needs a number of seconds above 0 and up to 2147483, or none"],
])("the invalid limit option %s is a usage error", async (option, message) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", option, "ftp://h/"]);
  expect({ exitCode, message: stderr.includes(message) }).toEqual({ exitCode: 2, message: true });
});

it.each(LIMIT_OPTION_DEFINITIONS.filter(({ clientLimitName }) => clientLimitName !== undefined))(
  "the help names the default of --$name",
  ({ name, defaultText, clientLimitName = "maxRedirects" }) => {
    expect(parseLimits({ [name]: defaultText })).toEqual({
      [clientLimitName]: DEFAULT_CORE_LIMITS[clientLimitName],
    });
    expect(formatHelp("get", 80).replace(/\s+/g, " ")).toContain(`default: ${defaultText}`);
  },
);

it("--max-time none is no limit", () => {
  expect(parseMaxTimeSeconds({ "max-time": "none" })).toBeUndefined();
});

let testServers: TestServers;
beforeAll(async () => {
  testServers = await startTestServers();
});

it("get accepts a body of --max-filesize bytes and rejects a longer one", async () => {
  const url = `http://127.0.0.1:${testServers.http.port}/data.bin`;
  expect(
    await runCommandInProcess(["get", "--max-filesize", String(binaryFileContent.length), url]),
  ).toMatchObject({
    exitCode: 0,
  });
  expect(
    await runCommandInProcess(["get", "--max-filesize", String(binaryFileContent.length - 1), url]),
  ).toMatchObject({
    exitCode: 63,
  });
});
