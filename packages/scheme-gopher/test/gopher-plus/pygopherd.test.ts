import { getPlannedBytes, startRecordingProxy } from "@anyscheme/core/testing";
import { type RunningServer, startPygopherd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GopherRequestOptions, GopherResource } from "../../src/index.ts";
import {
  readBodyTextAndCompleteness,
  createGopherClient,
  readMenuEntriesUntilFailure,
  matchErrorWithCode,
  readMenuWithCompleteness,
} from "../scripted-gopher-server.ts";

describeIfServerAvailable("pygopherd", "the client sends requests to the server pygopherd", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startPygopherd();
  });
  afterAll(() => server.stop());

  const url = (path: string): `gopher://${string}` => `gopher://127.0.0.1:${server.port}/${path}`;
  const get = (path: string, options?: GopherRequestOptions): Promise<GopherResource> =>
    createGopherClient(server.port).dereference(url(path), options);

  it("the client reads the menu of pygopherd with Gopher+ tags", async () => {
    const { entries: found, fault } = await readMenuEntriesUntilFailure(await get("1%09%09+"));
    expect(fault).toBeUndefined();
    const here = `gopher://localhost:${server.port}`;
    expect(found.map(({ kind, name, url: link }) => [kind, name, link?.href])).toEqual([
      ["html", "The title", `${here}/h/page.html%09%09+`],
      ["menu", "dir", `${here}/1/dir%09%09+`],
      ["text", "form.txt", `${here}/0/form.txt%09%09+`],
      ["text", "hello.txt", `${here}/0/hello.txt%09%09+`],
      ["info", "Two lines of", undefined],
      ["info", "abstract text", undefined],
      ["image", "pic.gif", `${here}/g/pic.gif%09%09+`],
    ]);
  });

  it.each([
    ["0/hello.txt%09%09+", "hello\n.dot line\nlast\n", "verified"],
    ["0/hello.txt", "hello\n.dot line\nlast\n", "unverified"],
    ["0/hello.txt%09%09+text/plain", "hello\n.dot line\nlast\n", "verified"],
    // The server pygopherd parses a submitted form as a plain Gopher request.
    ["0/form.txt%09%09+%091%0D%0A+-1%0D%0AAlice%0D%0A.%0D%0A", "form target\n", "unverified"],
  ])("the client reads the content of the path %s from pygopherd", async (path, text, completeness) => {
    await using proxy = await startRecordingProxy(server.port);
    const resource = await createGopherClient(proxy.port).dereference(
      `gopher://127.0.0.1:${proxy.port}/${path}`,
      {
        allowForms: true,
      },
    );
    expect(await readBodyTextAndCompleteness(resource)).toEqual([text, completeness]);
    expect(proxy.connections[0]?.received).toEqual(getPlannedBytes(resource.plan));
  });

  it.each(["1", "1%09%09+"])(
    "the client reads the menu %s of pygopherd, which ends without a final dot",
    async (path) => {
      expect((await readMenuWithCompleteness(await get(path)))[1]).toBe("unverified");
    },
  );

  it("the client reads a picture and its stated length from pygopherd", async () => {
    const resource = await get("g/pic.gif%09%09+");
    expect(resource).toMatchObject({ kind: "content", size: 35, mediaType: "image/gif" });
    expect(await readBodyTextAndCompleteness(resource)).toEqual([
      expect.stringMatching(/^GIF89a/),
      "verified",
    ]);
  });

  it("the client reads the attributes of an item from pygopherd", async () => {
    const resource = await get("0/hello.txt%09%09!");
    if (!("attributes" in resource)) throw new Error("it has no attributes");
    const attributes = await resource.attributes();
    expect(attributes.item?.url?.href).toBe(`gopher://localhost:${server.port}/0/hello.txt%09%09+`);
    expect(attributes.admin?.administrator).toBe("Test Admin <admin@example.invalid>");
    expect(attributes.admin?.modified?.getFullYear()).toBeGreaterThan(2000);
    expect(attributes.abstract).toBe("Two lines of\nabstract text");
    expect(attributes.views()).toEqual([
      expect.objectContaining({ mediaType: "text/plain", language: undefined, approximateSize: 0 }),
    ]);
  });

  it("the client reads the attributes of all items and information lines in the root menu of pygopherd", async () => {
    const { entries: found, fault } = await readMenuEntriesUntilFailure(await get("1%09%09$"));
    expect(fault).toBeUndefined();
    expect(found.map(({ name, attributes }) => [name, attributes?.views()[0]?.mediaType])).toEqual([
      ["The title", "text/html"],
      ["dir", "application/gopher+-menu"],
      ["form.txt", "text/plain"],
      ["hello.txt", "text/plain"],
      ["Two lines of", undefined],
      ["abstract text", undefined],
      ["pic.gif", "image/gif"],
    ]);
  });

  it("the client selects a view of a pygopherd item by its media type", async () => {
    const resource = await get("0/hello.txt%09%09+", { accept: ["image/*", "text/*"], language: "de" });
    expect(resource.url.href).toBe(url("0/hello.txt%09%09+text/plain"));
    expect((await readBodyTextAndCompleteness(resource))[0]).toBe("hello\n.dot line\nlast\n");
  });

  it("the client reads a form with every kind of field from pygopherd", async () => {
    const form = await get("0/form.txt%09%09?");
    if (form.kind !== "form") throw new Error("it is no form");
    expect(form.title).toBe("form.txt");
    expect(form.fields).toEqual([
      { keyword: "Note", kind: "note", name: "fill this in", label: "fill this in" },
      { keyword: "Ask", kind: "text", name: "Your name", label: "Your name", initialValue: "nobody" },
      { keyword: "AskP", kind: "password", name: "Password", label: "Password" },
      { keyword: "AskL", kind: "long-text", name: "Long text", label: "Long text" },
      { keyword: "Select", kind: "switch", name: "Tick me", label: "Tick me", initialValue: true },
      {
        keyword: "Choose",
        kind: "choice",
        name: "Colour",
        label: "Colour",
        choices: ["red", "blue"],
        initialValue: "red",
      },
      { keyword: "AskF", kind: "text", name: "Save as", label: "Save as", initialValue: "file" },
      { keyword: "ChooseF", kind: "file", name: "Which file", label: "Which file" },
    ]);
  });

  it.each([
    ["0/missing", "not-found", /refuses: '\/missing' does not exist/],
    ["0/missing%09%09+", "not-found", /refuses: '\/missing' does not exist/],
    ["1/missing%09%09$", "not-found", /refuses: '\/missing' does not exist/],
    ["0/hello.txt%09%09?", "not-found", /no form/],
  ])(
    "the client rejects a request for %s with the error that pygopherd sends",
    async (path, code, message) => {
      await expect(get(path)).rejects.toThrow(matchErrorWithCode(code, message));
    },
  );
});
