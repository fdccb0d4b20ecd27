import { getPlannedBytes, startRecordingProxy } from "@anyscheme/core/testing";
import { type RunningServer, startGophernicus } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GopherRequestOptions, GopherResource } from "../src/index.ts";
import {
  readBodyTextAndCompleteness,
  createGopherClient,
  readMenuEntriesUntilFailure,
  matchErrorWithCode,
  readMenuWithCompleteness,
} from "./scripted-gopher-server.ts";

describeIfServerAvailable("gophernicus", "the client sends requests to the server Gophernicus", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startGophernicus();
  });
  afterAll(() => server.stop());

  async function ask<T>(
    path: string,
    read: (resource: GopherResource) => Promise<T>,
    options?: GopherRequestOptions,
  ): Promise<T> {
    await using proxy = await startRecordingProxy(server.port);
    const resource = await createGopherClient(proxy.port).dereference(
      `gopher://127.0.0.1:${proxy.port}/${path}`,
      options,
    );
    const result = await read(resource);
    expect(proxy.connections).toHaveLength(1);
    expect(proxy.connections[0]?.received).toEqual(getPlannedBytes(resource.plan));
    return result;
  }

  it("the client reads a text without a final dot from Gophernicus", async () => {
    expect(await ask("0/hello.txt", readBodyTextAndCompleteness)).toEqual([
      "hello\r\n.dot line\r\nlast\r\n",
      "unverified",
    ]);
  });

  it("the client reads the bytes of a picture from Gophernicus", async () => {
    const picture = "47494638396101000100800000000000ffffff2c00000000010001000002024401003b";
    const [bytes, completeness] = await ask("g/pic.gif", readBodyTextAndCompleteness);
    expect([Buffer.from(bytes, "latin1").toString("hex"), completeness]).toEqual([picture, "unverified"]);
  });

  it("the client reads the root menu of Gophernicus", async () => {
    const { entries: found, fault } = await ask("", readMenuEntriesUntilFailure);
    expect(fault).toBeUndefined();
    const here = `gopher://localhost:${server.port}`;
    // Gophernicus adds two lines with its name and version to the menu.
    expect(found.slice(0, -2).map(({ kind, name, url }) => [kind, name, url?.href])).toEqual([
      ["info", "Welcome to the test hole", undefined],
      ["text", "A text file", `${here}/0/hello.txt`],
      ["menu", "A folder", `${here}/1/dir`],
      ["search", "Search", `${here}/7/cgi-bin/search`],
      ["image", "A picture", `${here}/g/pic.gif`],
      ["link", "Web", "http://127.0.0.1:1/"],
      ["telnet", "Telnet", "telnet://guest@127.0.0.1:23/"],
      ["tn3270", "TN3270", "tn3270://guest@127.0.0.1:23/"],
      ["text", "Elsewhere", "gopher://127.0.0.1:7/0/x"],
    ]);
  });

  it("the client reads the menu of a folder from Gophernicus", async () => {
    const [{ entries: found }, completeness] = await ask("1/dir", readMenuWithCompleteness);
    expect(completeness).toBe("verified");
    expect(found.some(({ url }) => url?.href.endsWith("/0/dir/in.txt"))).toBe(true);
  });

  it("the client reads the results of a search for words with a plus sign from Gophernicus", async () => {
    const { entries: found } = await ask("7/cgi-bin/search%09two%20words+", readMenuEntriesUntilFailure);
    expect(found[0]?.name).toBe("query=[two words+] [two words+]");
  });

  it("the client reads the plain item when Gophernicus ignores a Gopher+ request", async () => {
    expect(await ask("0/hello.txt%09%09+", readBodyTextAndCompleteness)).toEqual([
      "hello\r\n.dot line\r\nlast\r\n",
      "unverified",
    ]);
  });

  it("the client reads the attributes of one item when Gophernicus is asked for all items of its root", async () => {
    const { entries: found, fault } = await ask("1%09%09$", readMenuEntriesUntilFailure);
    expect([fault, found.length]).toEqual([undefined, 1]);
    expect(found[0]).toMatchObject({ name: "Main menu", kind: "menu" });
    expect(found[0]?.attributes?.views()).toEqual([
      expect.objectContaining({ mediaType: "application/gopher+-menu", approximateSize: 512 }),
    ]);
  });

  it("the client reports not-found for a menu that Gophernicus does not have", async () => {
    const url = `gopher://127.0.0.1:${server.port}/1/missing/`;
    await expect(createGopherClient(server.port).dereference(url)).rejects.toMatchObject({
      code: "not-found",
    });
  });

  it.each([
    ["0/missing", "not-found", /refuses: File or directory not found!/],
    ["0/.hidden", "permission-denied", /refuses: Access denied!/],
  ])(
    "the client rejects a request for %s when Gophernicus sends an error message as text",
    async (path, code, message) => {
      const url = `gopher://127.0.0.1:${server.port}/${path}`;
      await expect(createGopherClient(server.port).dereference(url)).rejects.toThrow(
        matchErrorWithCode(code, message),
      );
    },
  );
});
