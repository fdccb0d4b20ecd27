import {
  anyAddress,
  type Client,
  createClient,
  type DirectoryEntry,
  type Plan,
  type Resource,
} from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { gopher, type GopherEntry } from "@anyscheme/scheme-gopher";
import {
  http,
  type HttpRequestOptions,
  type HttpContentResource,
  type HttpUrl,
} from "@anyscheme/scheme-http";
import { expect, expectTypeOf, it } from "vitest";

// The compiler checks these functions. A program that passes a client to its functions writes `Client` without a type
// argument.

function post(client: Client, url: string): Promise<Resource> {
  return client.dereference(url, { method: "POST", body: "a", headers: { "x-a": "b" } });
}

function readWithOptions(client: Client, url: string, options: HttpRequestOptions): Promise<string> {
  return client.text(url, options);
}

function checkTypes(client: Client): unknown[] {
  return [
    () => client.extend({ headers: { "x-a": "b" } }),
    () => client.plan("http://h.example/", { method: "POST" }),
    () => client.put("http://h.example/", "a", { headers: {} }),
    // @ts-expect-error -- the options of every request keep their types
    () => client.text("http://h.example/", { signal: "a" }),
    // @ts-expect-error -- a limit is a number and not a string
    () => client.text("http://h.example/", { limits: { maxBodyBytes: "1" } }),
  ];
}

function checkTypesOfTypedClient(
  client: Client<ReturnType<typeof http> | ReturnType<typeof gopher>>,
): unknown[] {
  return [
    () => client.text("http://h.example/", { method: "POST" }),
    // @ts-expect-error -- the schemes of this client have no such option
    () => client.text("http://h.example/", { metod: "POST" }),
  ];
}

const extendedClient = createClient({ schemes: [http(), gopher()] }).extend({ baseUrl: "http://h.example/" });

// Texts whose types do not determine the scheme, so that the options of all schemes are possible.
function checkTypesOfTemplatesAndRelativeUrls(base: string, port: number): unknown[] {
  type Result = Awaited<ReturnType<typeof extendedClient.dereference<string>>>;
  type ParsedUrl = ReturnType<typeof extendedClient.parse<string>>;
  return [
    () => extendedClient.text(`${base}/users`, { method: "POST" }),
    () => extendedClient.json("users", { method: "POST" }),
    () => extendedClient.json("users?at=10:30", { method: "POST" }),
    () => extendedClient.text(`${base}/users?at=10:30`, { method: "POST" }),
    () => extendedClient.text(`${base}s://h.example/`, { method: "POST" }),
    () => expectTypeOf(extendedClient.dereference(`${base}/users`)).resolves.toEqualTypeOf<Result>(),
    () => expectTypeOf(extendedClient.dereference("users")).resolves.toEqualTypeOf<Result>(),
    () => expectTypeOf(extendedClient.parse(`${base}/users`)).toEqualTypeOf<ParsedUrl>(),
    // The placeholder in the template literal follows the scheme, so the compiler knows the scheme of the URL.
    () =>
      expectTypeOf(
        extendedClient.dereference(`http://h.example:${port}/`),
      ).resolves.toEqualTypeOf<HttpContentResource>(),
    // @ts-expect-error -- gopher has no such option
    () => extendedClient.text(`gopher://${base}/`, { method: "POST" }),
    // @ts-expect-error -- no scheme has the option metod
    () => extendedClient.json("users", { metod: "POST" }),
  ];
}

function checkTypesOfPlans(url: string): unknown[] {
  type ParsedUrl = ReturnType<typeof extendedClient.parse<string>>;
  return [
    () => extendedClient.plan("http://h.example/", { operation: "put", atomic: true, offset: "end" }),
    () => expectTypeOf(extendedClient.plan("http://h.example/")).toEqualTypeOf<Plan<HttpUrl<"http">>>(),
    () => expectTypeOf(extendedClient.plan(url).url).toEqualTypeOf<ParsedUrl>(),
    // @ts-expect-error -- the option `atomic` is boolean
    () => extendedClient.plan("http://h.example/", { operation: "put", atomic: 1 }),
  ];
}

function checkTypesOfPlatformUrls(url: URL): unknown[] {
  return [
    () => expectTypeOf(extendedClient.text(url, { method: "POST" })).resolves.toEqualTypeOf<string>(),
    () => extendedClient.dereference(url),
    () => extendedClient.stat(url),
    () => extendedClient.rename(url, url),
    () => extendedClient.plan(url, { operation: "rename", to: url }),
    () => extendedClient.equal(url, "http://h.example/"),
    // @ts-expect-error -- no scheme has the option metod
    () => extendedClient.text(url, { metod: "POST" }),
  ];
}

function checkTypesOfEntries(client: Client): unknown[] {
  type ListedEntry<T> = T extends AsyncGenerator<infer Entry> ? Entry : never;
  return [
    () => expectTypeOf<ListedEntry<ReturnType<typeof client.list<string>>>>().toEqualTypeOf<DirectoryEntry>(),
    async () => {
      for await (const entry of extendedClient.list("gopher://h.example/"))
        expectTypeOf(entry).toEqualTypeOf<GopherEntry>();
      for await (const entry of extendedClient.list("http://h.example/"))
        expectTypeOf(entry).toEqualTypeOf<DirectoryEntry>();
    },
  ];
}

it("every method accepts a URL object of the platform, and list yields the entries of the scheme", () => {
  expect([
    ...checkTypesOfPlatformUrls(new URL("http://h.example/")),
    ...checkTypesOfEntries(extendedClient),
  ]).toHaveLength(9);
  expect(extendedClient.plan(new URL("http://h.example/a")).url.href).toBe("http://h.example/a");
});

it("a template literal or relative URL accepts the options of every scheme of the client, and a plan has the URL type of its scheme", () => {
  expect([...checkTypesOfTemplatesAndRelativeUrls("http", 80), ...checkTypesOfPlans("")]).toHaveLength(15);
  expect(extendedClient.plan("gopher://h.example/0a").url.selector).toBe("a");
});

it("a Client without a type argument accepts the options of its schemes, and checks them when it is called", async () => {
  await using server = await startScriptedServer(async (peer) => {
    const line = await peer.readLine();
    while (await peer.readLine());
    peer.send(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${line}`);
  });
  const url = `http://127.0.0.1:${server.port}/`;
  await using client = createClient({ schemes: [http(), gopher()], policy: anyAddress() });
  const resource = await post(client, url);
  expect(resource.kind === "content" && (await resource.text())).toBe("POST / HTTP/1.1");
  expect(await readWithOptions(client, url, { headers: { "x-a": "b" } })).toBe("GET / HTTP/1.1");
  await expect((client as Client).text(url, { metod: "POST" })).rejects.toThrow(
    'dereference has no option "metod": did you mean "method"?',
  );
  expect([...checkTypes(client), ...checkTypesOfTypedClient(client)]).toHaveLength(7);
});
