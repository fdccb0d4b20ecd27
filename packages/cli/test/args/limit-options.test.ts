import { expect, it } from "vitest";
import { parseLimits } from "../../src/args/limit-options.ts";
import type { OptionValues } from "../../src/args/options.ts";
import { runHere } from "../test-io.ts";
import { binary, type SmallServers, startSmallServers } from "../small-servers.ts";
import { beforeAll } from "vitest";

it.each<[values: OptionValues, limits: object]>([
  [{}, {}],
  [{ "limit-size": "10" }, { maxStreamBytes: 10 }],
  [{ "limit-size": "1.5k" }, { maxStreamBytes: 1536 }],
  [{ "limit-listing": "20M" }, { maxListingBytes: 20 * 2 ** 20 }],
  [{ "limit-size": "2g" }, { maxStreamBytes: 2 ** 31 }],
  [{ "limit-idle": "0.5" }, { idleTimeoutMs: 500 }],
  [
    { "limit-call": "none", "limit-hops": "2" },
    { callTimeoutMs: Infinity, maxRedirects: 2 },
  ],
  [{ "limit-depth": "3" }, {}],
])("%j changes %j", (values, limits) => {
  expect(parseLimits(values)).toEqual(limits);
});

it.each<[option: string, says: string]>([
  ["--limit-size=0", "--limit-size needs a number of bytes, as in 500k, 20M and 1.5G, or none"],
  ["--limit-size=-1", "--limit-size needs a number of bytes"],
  ["--limit-size=1T", "--limit-size needs a number of bytes"],
  ["--limit-size=1e9", "--limit-size needs a number of bytes"],
  ["--limit-entries=1.5", "--limit-entries needs a whole number, or none"],
  ["--limit-idle=soon", "--limit-idle needs a number of seconds, or none"],
  ["--limit-idle=9999999", "--limit-idle needs a number of seconds"],
])("%s is a usage error", async (option, says) => {
  const { exit, err } = await runHere(["get", option, "ftp://h/"]);
  expect({ exit, says: err.includes(says) }).toEqual({ exit: 2, says: true });
});

let servers: SmallServers;
beforeAll(async () => {
  servers = await startSmallServers();
});

it("a body longer than --limit-size is an error, and one as long is none", async () => {
  const url = `http://127.0.0.1:${servers.http.port}/data.bin`;
  expect(await runHere(["get", "--limit-size", String(binary.length), url])).toMatchObject({ exit: 0 });
  expect(await runHere(["get", "--limit-size", String(binary.length - 1), url])).toMatchObject({ exit: 63 });
});
