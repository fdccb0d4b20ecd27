import { describe, expect, it } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { createClient } from "../../src/client/client.ts";
import { createPlan, type Plan, type PlanOptions } from "../../src/scheme/plan.ts";
import type { OptionalSchemeOperations } from "../../src/scheme/operation.ts";
import type { Resource } from "../../src/scheme/resource.ts";
import type { Scheme } from "../../src/scheme/scheme.ts";
import { createGenericSyntax, type GenericUrl } from "../../src/syntax/index.ts";
import { createContentFromText, createClientReturning } from "./test-schemes.ts";

type NoteUrl = GenericUrl<"x-note">;

const modifiedDate = new Date(Date.UTC(1994, 10, 6, 8, 49, 37));

/** Creates a scheme with stat, put and delete that records the options of reads, the uploads and the deletions. */
function createNoteScheme(noted: unknown[]): Scheme<NoteUrl> {
  const plan = (url: NoteUrl): Plan<NoteUrl> => createPlan(url, []);
  const operations: OptionalSchemeOperations<NoteUrl> = {
    stat: {
      plan,
      perform: () =>
        Promise.resolve({ kind: "content", size: 3, modified: modifiedDate, mediaType: "text/plain" }),
    },
    put: {
      plan,
      async perform(_, __, { upload, mediaType }) {
        const pieces: Uint8Array[] = [];
        for await (const piece of upload.chunks) pieces.push(piece);
        noted.push([Buffer.concat(pieces).toString(), upload.size, mediaType]);
        return { bytesWritten: 0 };
      },
    },
    delete: { plan, perform: () => Promise.resolve((noted.push("deleted"), {})) },
  };
  return {
    name: "x-note",
    syntax: createGenericSyntax({ schemes: ["x-note"] }),
    supportedOptions: ["range"],
    plan,
    access: (_, context, options: PlanOptions) => {
      noted.push(options);
      const { start = 0, endExclusive: end } = options.range ?? {};
      return Promise.resolve(
        createContentFromText(context, "0123456789".slice(start, end), {
          mediaType: "text/plain",
          modified: modifiedDate,
        }),
      );
    },
    operations,
  };
}

describe("the responses of client.fetch", () => {
  it("client.fetch returns a Response with status 200 and the media type for any scheme", async () => {
    const client = createClientReturning((context) =>
      createContentFromText(context, "hello", { mediaType: "text/plain", modified: modifiedDate }),
    );
    const response = await client.fetch("x-made:a#part");
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({ status: 200, ok: true, url: "x-made:a", redirected: false });
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/plain",
      "content-length": "5",
      "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT",
    });
    expect(await response.text()).toBe("hello");
  });

  it("client.fetch returns a directory as one line of JSON for each entry, as the entries arrive", async () => {
    const client = createClientReturning((context) =>
      context.createDirectory({
        entries: (async function* () {
          yield {
            name: "a\nb",
            url: context.parse("x-made:a"),
            kind: "file",
            size: 3,
            modified: modifiedDate,
          };
          yield { name: "", url: undefined, kind: "info" };
        })(),
      }),
    );
    const response = await client.fetch("x-made:");
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    expect(
      (await response.text())
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { name: "a\nb", url: "x-made:a", kind: "file", size: 3, modified: modifiedDate.toISOString() },
      { name: "", kind: "info" },
    ]);
  });

  it("cancelling the response of a directory closes the directory", async () => {
    let closed = false;
    const client = createClientReturning((context) =>
      context.createDirectory({
        entries: (async function* () {
          for (;;) yield { name: "x", url: undefined, kind: "file" };
        })(),
        cancel: () => (closed = true),
      }),
    );
    const reader = (await client.fetch("x-made:")).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(closed).toBe(true);
  });

  it("client.fetch returns status 304 for unchanged content", async () => {
    const client = createClientReturning((context) =>
      context.createResource("not-modified", { modified: modifiedDate }),
    );
    const response = await client.fetch("x-made:a");
    expect([response.status, response.body]).toEqual([304, null]);
    expect(response.headers.get("last-modified")).toBe("Sun, 06 Nov 1994 08:49:37 GMT");
  });

  it("client.fetch returns the status of the protocol, and closes the content of a status without a body", async () => {
    const response = (status: number) => () => ({
      status,
      statusText: "Fine",
      headers: [
        ["x-a", "1"],
        ["x-a", "2"],
      ] as const,
    });
    const client = createClientReturning((context) =>
      createContentFromText(context, "x", { response: response(203) }),
    );
    const given = await client.fetch("x-made:a");
    expect([given.status, given.statusText, given.headers.get("x-a")]).toEqual([203, "Fine", "1, 2"]);
    let content: Resource | undefined;
    const empty = createClientReturning(
      (context) => (content = createContentFromText(context, "", { response: response(204) })),
    );
    expect((await empty.fetch("x-made:a")).body).toBeNull();
    if (content?.kind === "content")
      await expect(content.completeness).rejects.toMatchObject({ code: "aborted" });
    const odd = createClientReturning((context) =>
      createContentFromText(context, "", { response: response(999) }),
    );
    await expect(odd.fetch("x-made:a")).rejects.toMatchObject({
      name: "TypeError",
      cause: { code: "protocol" },
    });
  });
});

describe("the requests of client.fetch", () => {
  const noted: unknown[] = [];
  const client = createClient({ schemes: [createNoteScheme(noted)] });

  it.each([
    ["a text", "x-note:a"],
    ["a URL object of the client", client.parse("x-note:a")],
    ["a URL object of Node.js", new URL("x-note:a")],
    ["a Request object", new Request("x-note:a")],
  ])("client.fetch accepts %s as input", async (_, input) => {
    const response = await client.fetch(input);
    expect(response.url).toBe("x-note:a");
    expect(await response.text()).toBe("0123456789");
  });

  it("client.fetch returns status 206 for a range in the headers or in the options", async () => {
    const headers = {
      Range: "bytes=2-4",
      "If-Modified-Since": modifiedDate.toUTCString(),
      "If-None-Match": '"a"',
      "X-Y": "z",
      Cookie: "a",
    };
    const response = await client.fetch("x-note:a", { headers });
    expect([response.status, response.headers.get("content-range"), await response.text()]).toEqual([
      206,
      "bytes 2-4/*",
      "234",
    ]);
    expect(noted.at(-1)).toMatchObject({
      range: { start: 2, endExclusive: 5 },
      ifModifiedSince: modifiedDate,
      ifNoneMatch: '"a"',
      headers: [["x-y", "z"]],
    });
    expect(await (await client.fetch("x-note:a", { range: { start: 8 } })).text()).toBe("89");
    for (const odd of ["bytes=-5", "bytes=5-2", "lines=1-2", "bytes=1-2,4-5"])
      expect((await client.fetch("x-note:a", { headers: { range: odd } })).status).toBe(200);
  });

  it("client.fetch with HEAD returns the attributes without a body", async () => {
    const response = await client.fetch("x-note:a", { method: "head" });
    expect([response.status, response.body]).toEqual([200, null]);
    expect(response.headers.get("content-length")).toBe("3");
  });

  it.each<[string, ResponseBodyInit, string, number | undefined, string | undefined]>([
    ["text", "text", "text", 4, "text/plain;charset=UTF-8"],
    ["bytes", Buffer.from("bytes"), "bytes", 5, undefined],
    ["a form", new URLSearchParams({ a: "b" }), "a=b", 3, "application/x-www-form-urlencoded;charset=UTF-8"],
    ["a blob", new Blob(["blob"], { type: "image/png" }), "blob", 4, "image/png"],
    ["a stream", new Blob(["stream"]).stream(), "stream", undefined, undefined],
  ])("client.fetch with PUT uploads a body that is %s", async (_, body, text, size, mediaType) => {
    const response = await client.fetch("x-note:a", { method: "PUT", body, duplex: "half" });
    expect(response.status).toBe(204);
    expect(noted.at(-1)).toEqual([text, size, mediaType]);
  });

  it("the header content-type takes precedence over the media type of a fetch body", async () => {
    await client.fetch("x-note:a", { method: "PUT", body: "x", headers: { "content-type": "text/html" } });
    expect(noted.at(-1)).toEqual(["x", 1, "text/html"]);
    const request = new Request("x-note:a", { method: "PUT", body: "y", headers: { "content-type": "a/b" } });
    await client.fetch(request);
    expect(noted.at(-1)).toEqual(["y", 1, "a/b"]);
  });

  it("a redirect to another origin drops the header fields of a fetch with PUT", async () => {
    const received: unknown[] = [];
    const scheme: Scheme = {
      ...createNoteScheme([]),
      redirectSchemes: ["x-note"],
      operations: {
        put: {
          plan: (url) => createPlan(url, []),
          perform: ({ url }, context, options) => {
            received.push([url.href, (options as { headers?: unknown }).headers]);
            if (url.href === "x-note://one.example/")
              return context.redirectTo(context.parse("x-note://two.example/"));
            return Promise.resolve({ bytesWritten: 0 });
          },
        },
      },
    };
    const headers = { "x-token": "secret" };
    await createClient({ schemes: [scheme] }).fetch("x-note://one.example/", {
      method: "PUT",
      body: "x",
      headers,
    });
    expect(received).toEqual([
      ["x-note://one.example/", [["x-token", "secret"]]],
      ["x-note://two.example/", undefined],
    ]);
  });

  it("client.fetch with DELETE deletes the resource", async () => {
    expect((await client.fetch("x-note:a", { method: "DELETE" })).status).toBe(204);
    expect(noted.at(-1)).toBe("deleted");
  });
});

type ResponseBodyInit = NonNullable<ConstructorParameters<typeof Response>[0]>;

describe("the members of the argument init of client.fetch", () => {
  const noted: unknown[] = [];
  const client = createClient({ schemes: [{ ...createNoteScheme(noted), requestOptions: {} }] });
  const fetchWithAnyInit = client.fetch as (url: string, init?: unknown) => Promise<Response>;

  it("client.fetch ignores names that neither the Fetch standard nor the client knows", async () => {
    const init = {
      baseURL: "x",
      timeout: 1,
      retryDelay: 5,
      onRequestError: () => 1,
      noProxy: [],
      model: "m",
    };
    expect((await fetchWithAnyInit("x-note:a", init)).status).toBe(200);
    expect(noted.splice(0)).toEqual([{ exactBytes: true, redirect: "follow", throwHttpErrors: false }]);
  });

  it("client.fetch ignores the options of other methods", async () => {
    const init = { method: "PUT", body: "abc", mediaType: "text/x", size: 1, offset: 1, atomic: true };
    await fetchWithAnyInit("x-note:a", init);
    expect(noted.splice(0)).toEqual([["abc", 3, "text/plain;charset=UTF-8"]]);
  });

  it.each([
    ["polcy", "policy"],
    ["limit", "limits"],
    ["onrequest", "onRequest"],
    ["signla", "signal"],
    ["header", "headers"],
  ])("client.fetch rejects the name %s, which differs from %s by one edit", async (name, meant) => {
    await expect(fetchWithAnyInit("x-note:a", { [name]: {} })).rejects.toThrow(
      `fetch has no option "${name}": did you mean "${meant}"?`,
    );
  });

  it("client.fetch accepts null for init", async () => {
    expect((await fetchWithAnyInit("x-note:a", null)).status).toBe(200);
  });
});

describe("the errors of client.fetch", () => {
  const failing = createClientReturning(() =>
    Promise.reject(new AccessError("not-found", "the resource does not exist")),
  );

  it("client.fetch rejects with a TypeError whose cause is the AccessError", async () => {
    await expect(failing.fetch("x-made:a")).rejects.toMatchObject({
      name: "TypeError",
      message: "fetch failed",
      cause: { name: "AccessError", code: "not-found" },
    });
    await expect(failing.fetch("x-other:a")).rejects.toMatchObject({ cause: { code: "unknown-scheme" } });
    await expect(failing.fetch("no url")).rejects.toMatchObject({
      name: "TypeError",
      cause: { name: "UrlSyntaxError" },
    });
  });

  it("client.fetch rejects with the reason of the signal of init or of the Request", async () => {
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(failing.fetch("x-made:a", { signal })).rejects.toBe(reason);
    await expect(failing.fetch(new Request("x-made:a", { signal }))).rejects.toBe(reason);
    const soon = new AbortController();
    const waiting = createClientReturning(() => (soon.abort(reason), new Promise(() => undefined)));
    await expect(waiting.fetch("x-made:a", { signal: soon.signal })).rejects.toBe(reason);
  });

  it.each(["POST", "PATCH", "OPTIONS"])("client.fetch rejects the method %s", async (method) => {
    for (const init of [{ method }, { method, body: "x" }])
      await expect(failing.fetch("x-made:a", init)).rejects.toThrow(
        `fetch: the scheme x-made does not support the method ${method}`,
      );
  });

  it("client.fetch rejects a GET with a body, and a resource without content", async () => {
    await expect(failing.fetch("x-made:a", { body: "x" })).rejects.toThrow("cannot have a body");
    const mailbox = { address: "a@b", localPart: "a", domain: "b", recipients: [], headers: [] };
    const client = createClientReturning((context) => context.createResource("mailbox", mailbox));
    await expect(client.fetch("x-made:a")).rejects.toMatchObject({ cause: { code: "no-content" } });
  });
});
