import { type ClientOptions, publicInternet, type TraceEvent } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { startScriptedServer } from "@anyscheme/core/testing";
import { CookieJar } from "tough-cookie";
import { describe, expect, it } from "vitest";
import { createResponseText, startRecordingOriginServer } from "../cache/caching-client-and-origin.ts";
import {
  createSingleResponseScript,
  createServerUrl,
  createTestClient,
  getRejectedError,
  getWithGivenClient,
  type HttpTestClient,
} from "../test-client.ts";

const resolver = (): Promise<string[]> => Promise.resolve(["127.0.0.1"]);

function createCookieClient(options: Partial<ClientOptions> = {}): {
  client: HttpTestClient;
  jar: CookieJar;
  traces: TraceEvent[];
} {
  const jar = new CookieJar();
  const traces: TraceEvent[] = [];
  const client = createTestClient({
    cookies: jar,
    resolver,
    trace: (event) => traces.push(event),
    ...options,
  });
  return { client, jar, traces };
}

const cookieOf = (request: readonly string[] | undefined): string | undefined =>
  request?.find((line) => line.startsWith("cookie: "));

describe("a client with a cookie jar", () => {
  it("the client stores the cookies of a response and sends them with later requests", async () => {
    await using server = await startRecordingOriginServer(() =>
      createResponseText("", ["set-cookie: a=1; Path=/", "set-cookie: b=2"]),
    );
    const { client } = createCookieClient();
    for (const path of ["/x/y", "/x/z", "/other"])
      await (await getWithGivenClient(client, server.url(path))).bytes();
    expect(server.requests.map(cookieOf)).toEqual([undefined, "cookie: b=2; a=1", "cookie: a=1"]);
  });

  it("the client sends each origin only its own cookies, also after a redirect", async () => {
    await using second = await startRecordingOriginServer(() =>
      createResponseText("", ["set-cookie: second=2"]),
    );
    const target = second.url("/").replace("127.0.0.1", "two.example");
    await using first = await startRecordingOriginServer(([line]) =>
      line?.startsWith("GET /start")
        ? createResponseText("", ["set-cookie: first=1", `location: ${target}`], "302 Found")
        : createResponseText(""),
    );
    const { client } = createCookieClient();
    for (const path of ["/start", "/start"])
      await (await getWithGivenClient(client, first.url(path).replace("127.0.0.1", "one.example"))).bytes();
    expect(first.requests.map(cookieOf)).toEqual([undefined, "cookie: first=1"]);
    expect(second.requests.map(cookieOf)).toEqual([undefined, "cookie: second=2"]);
  });

  it("the client sends a cookie that a redirect of the same origin has set", async () => {
    await using server = await startRecordingOriginServer(([line]) =>
      line?.startsWith("GET /login")
        ? createResponseText("", ["set-cookie: session=s; Path=/", "location: /home"], "303 See Other")
        : createResponseText(""),
    );
    const { client } = createCookieClient();
    await (await getWithGivenClient(client, server.url("/login"))).bytes();
    expect(server.requests.map(cookieOf)).toEqual([undefined, "cookie: session=s"]);
  });

  it("requests and extended clients with their own jars share no connection and no stored response", async () => {
    await using server = await startRecordingOriginServer(() =>
      createResponseText("text", ["cache-control: max-age=60"]),
    );
    const { client, jar: clientJar } = createCookieClient({ cache: memoryCache() });
    const url = server.url("/");
    const [ann, bob] = [new CookieJar(), new CookieJar()];
    await clientJar.setCookie("user=client", url);
    await ann.setCookie("user=ann", url);
    await bob.setCookie("user=bob", url);
    const asBob = client.extend({ cookies: bob });
    for (let count = 0; count < 2; count++) {
      await client.text(url);
      await client.text(url, { cookies: ann });
      await asBob.text(url);
    }
    await asBob.text(url, { cookies: ann, cache: "reload" });
    await asBob.stat(url);
    const users = ["client", "ann", "bob", "ann", "bob"];
    expect(server.requests.map(cookieOf)).toEqual(users.map((user) => `cookie: user=${user}`));
    expect(server.connectionCount).toBe(3);
  });

  it("after a redirect to another origin, a request uses its own jar", async () => {
    await using server = await startRecordingOriginServer(([line]) =>
      line?.startsWith("GET /start")
        ? createResponseText("", [`location: ${end}`], "302 Found")
        : createResponseText(""),
    );
    const end = server.url("/end").replace("127.0.0.1", "two.example");
    const { client } = createCookieClient();
    const own = new CookieJar();
    await own.setCookie("a=1", end);
    await client.text(server.url("/start").replace("127.0.0.1", "one.example"), { cookies: own });
    expect(server.requests.map(cookieOf)).toEqual([undefined, "cookie: a=1"]);
  });

  it("a Cookie header of the caller replaces the cookies of the jar", async () => {
    await using server = await startRecordingOriginServer(() =>
      createResponseText("", ["set-cookie: jar=1"]),
    );
    const { client, jar } = createCookieClient();
    for (let count = 0; count < 2; count++)
      await (await getWithGivenClient(client, server.url(), { headers: { cookie: "own=1" } })).bytes();
    expect(server.requests.map(cookieOf)).toEqual(["cookie: own=1", "cookie: own=1"]);
    expect(await jar.getCookieString(server.url())).toBe("jar=1");
  });

  it("the client ignores a cookie that the jar rejects", async () => {
    await using server = await startRecordingOriginServer(() =>
      createResponseText("x", [
        "set-cookie: a=1; Domain=other.example",
        "set-cookie: =",
        "set-cookie: b=2; Secure",
      ]),
    );
    const { client, jar } = createCookieClient();
    expect(
      await (await getWithGivenClient(client, server.url().replace("127.0.0.1", "one.example"))).text(),
    ).toBe("x");
    expect((await jar.serialize()).cookies).toHaveLength(0);
  });

  it("the client reuses the connection when a cookie changes", async () => {
    await using server = await startScriptedServer(async (peer) => {
      for (let count = 0, line = await peer.readLine(); line !== undefined; line = await peer.readLine())
        if (line === "")
          peer.send(`HTTP/1.1 200 OK\r\nset-cookie: count=${count++}\r\ncontent-length: 0\r\n\r\n`);
    });
    const { client } = createCookieClient();
    for (let count = 0; count < 3; count++)
      await (await getWithGivenClient(client, createServerUrl(server))).bytes();
    expect(server.connections).toHaveLength(1);
  });

  it("the client sends cookies with put, delete and stat", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("", ["set-cookie: a=1"]));
    const { client } = createCookieClient();
    await client.put(server.url(), "");
    await client.stat(server.url());
    await client.delete(server.url());
    expect(server.requests.map(cookieOf)).toEqual([undefined, "cookie: a=1", "cookie: a=1"]);
  });

  it("the client shows no cookie in trace and errors", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript("HTTP/1.1 500 session-secret was refused\r\ncontent-length: 0\r\n\r\n"),
    );
    const { client, jar, traces } = createCookieClient();
    const url = createServerUrl(server);
    await jar.setCookie("session=session-secret", url);
    const error = await getRejectedError(getWithGivenClient(client, url));
    expect(error.message).toContain("500");
    expect(`${error.message} ${JSON.stringify(traces)} ${JSON.stringify(client.plan(url))}`).not.toContain(
      "session-secret",
    );
  });

  it('fetch with credentials: "omit" neither sends nor stores cookies', async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("", ["set-cookie: b=2"]));
    const { client, jar } = createCookieClient();
    await jar.setCookie("a=1", server.url());
    await client.fetch(server.url(), { credentials: "omit" });
    expect(cookieOf(server.requests[0])).toBeUndefined();
    expect(await jar.getCookieString(server.url())).toBe("a=1");
  });

  it("the client refuses a cookie that cannot be sent", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText(""));
    const cookies = {
      getCookieString: () => Promise.resolve("a=\r\nx: y"),
      setCookie: () => Promise.resolve(),
    };
    const client = createTestClient({ cookies });
    expect(await getRejectedError(getWithGivenClient(client, server.url()))).toMatchObject({
      code: "refused-characters",
    });
    expect(server.requests).toHaveLength(0);
  });

  // The jar of tough-cookie throws an error for these names.
  it.each(["local", "test", "example"])(
    "the client refuses the host name %s before it asks the jar for cookies",
    async (name) => {
      const { client } = createCookieClient({ policy: publicInternet() });
      const error = await getRejectedError(getWithGivenClient(client, `http://${name}/`));
      expect(error).toMatchObject({ code: "refused-name" });
    },
  );

  it("the cache separates the stored responses of different cookies", async () => {
    await using server = await startRecordingOriginServer((_request, index) =>
      createResponseText(`body ${index}`, ["cache-control: max-age=60"]),
    );
    const cache = memoryCache();
    const readAs = async (session: string): Promise<string> => {
      const { client, jar } = createCookieClient({ cache });
      await jar.setCookie(`session=${session}`, server.url());
      return (await getWithGivenClient(client, server.url())).text();
    };
    expect([await readAs("ada"), await readAs("bob"), await readAs("ada")]).toEqual([
      "body 0",
      "body 1",
      "body 0",
    ]);
  });
});
