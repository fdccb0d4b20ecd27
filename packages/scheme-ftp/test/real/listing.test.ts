import type { Resource } from "@anyscheme/core";
import type { RunningFtpServer } from "@anyscheme/servers";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createClientForServer,
  readContentOrListingAsText,
  describeOnEachServer,
  dereferenceToTextOrErrorCode,
  createServerUrl,
} from "./describe-on-servers.ts";
import type { TestedFtpServer } from "./tested-ftp-servers.ts";

const servedFiles = {
  "empty/": "",
  "closed/a": "a",
  "special/a": "a",
  "many/a": "a",
  "many/b": "b",
  "many/c": "c",
};

/** The expected result of a listing on each server: its entries or an error code. */
type ExpectedListing = Readonly<Record<TestedFtpServer["name"], string>>;

describeOnEachServer("the client lists directories", ["anonymous"], (row) => {
  let server: RunningFtpServer;
  beforeAll(async () => {
    server = await row.start({ files: servedFiles });
    chmodSync(join(server.root, "closed"), 0o711);
    execFileSync("mkfifo", [join(server.root, "special", "pipe")]);
  });
  afterAll(() => server.stop());

  it.each<[string, string, ExpectedListing]>([
    ["an empty directory", "/empty/", { vsftpd: "", proftpd: "", "pure-ftpd": "" }],
    ["the names in an empty directory", "/empty;type=d", { vsftpd: "", proftpd: "", "pure-ftpd": "" }],
    [
      "a pattern without matches",
      "/*.none;type=d",
      { vsftpd: "", proftpd: "", "pure-ftpd": "not-found" }, // proftpd: 450 No files found
    ],
    [
      "the names in a missing directory",
      "/missing;type=d",
      { vsftpd: "", proftpd: "not-found", "pure-ftpd": "not-found" },
    ],
    [
      "a directory without read permission",
      "/closed/",
      { vsftpd: "incomplete", proftpd: "permission-denied", "pure-ftpd": "not-found" },
    ],
    [
      "a directory with a pipe",
      "/special/",
      {
        vsftpd: "file a 1\nspecial pipe",
        proftpd: "file a 1\nfile pipe 0",
        "pure-ftpd": "file a 1\nunknown pipe",
      },
    ],
  ])("the client lists %s (%s)", async (_, path, expected) => {
    await using client = createClientForServer(server);
    expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, path))).toBe(
      expected[row.name],
    );
  });
});

describeOnEachServer("the client advises a slash for a directory", ["anonymous"], (row) => {
  it("the error for a directory URL without a final slash advises to add the slash", async () => {
    await using server = await row.start({ files: servedFiles });
    await using client = createClientForServer(server);
    await expect(client.dereference(createServerUrl(server, "/many"))).rejects.toMatchObject({
      code: "not-found",
      advice: expect.stringMatching(/directory.* slash .*;type=d/) as string,
    });
    expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/many/"))).toContain(
      "file a 1",
    );
  });
});

describeOnEachServer("the client detects a truncated listing", ["anonymous", "truncated listings"], (row) => {
  it.each(["/many/", "/many;type=d"])("the client reports the listing of %s as truncated", async (path) => {
    const listed = async (most: number): Promise<[string, string]> => {
      await using server = await row.start({ files: servedFiles, maxListedEntries: most });
      await using client = createClientForServer(server);
      const resource = await client.dereference(createServerUrl(server, path));
      const lines = await readContentOrListingAsText(resource);
      return [lines, await (resource as Extract<Resource, { kind: "directory" }>).completeness];
    };
    const [whole, completeness] = await listed(100);
    expect([whole.split("\n").length, completeness]).toEqual([3, "verified"]);
    const [part, cut] = await listed(3);
    expect(cut).toBe("truncated");
    expect(part.split("\n").length).toBeLessThan(3);
  });
});

describeOnEachServer("the client requests a range without SIZE", ["anonymous", "no SIZE"], (row) => {
  it.each<[number, ExpectedListing]>([
    [8, { vsftpd: "89", proftpd: "89", "pure-ftpd": "89" }],
    [10, { vsftpd: "out-of-range", proftpd: "out-of-range", "pure-ftpd": "out-of-range" }],
    [11, { vsftpd: "out-of-range", proftpd: "out-of-range", "pure-ftpd": "out-of-range" }],
  ])("without SIZE, the client reads from offset %i on or throws out-of-range", async (start, expected) => {
    await using server = await row.start({ files: { "ten.bin": "0123456789" }, deniedCommands: ["SIZE"] });
    await using client = createClientForServer(server);
    const url = createServerUrl(server, "/ten.bin");
    expect(await dereferenceToTextOrErrorCode(client, url, { range: { start } })).toBe(expected[row.name]);
  });
});
