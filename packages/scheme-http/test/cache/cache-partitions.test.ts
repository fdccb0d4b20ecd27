import { anyAddress, publicInternet } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { describe, expect, it } from "vitest";
import { getRejectedError, type HttpGetOptions, getWithGivenClient } from "../test-client.ts";
import {
  createCachingClient,
  hasHeader,
  createResponseText,
  startRecordingOriginServer,
} from "./caching-client-and-origin.ts";

const FRESH = "cache-control: max-age=60";

describe("the cache separates users", () => {
  const users: Readonly<Record<string, HttpGetOptions>> = {
    "an Authorization header": { headers: { authorization: "Bearer secret-of-ada" } },
    "a Cookie header": { headers: { cookie: "session=secret-of-ada" } },
    "an API key": { headers: { "x-api-key": "secret-of-ada" } },
    "an access key": { headers: { "x-access-key": "secret-of-ada" } },
    "an authentication header": { headers: { "x-auth": "secret-of-ada" } },
    "a session": { headers: { "x-session-id": "secret-of-ada" } },
  };
  it.each(Object.entries(users))(
    "a response to %s is only for requests with the same value",
    async (_title, ada) => {
      await using server = await startRecordingOriginServer((_request, index) =>
        createResponseText(`body ${index}`, [FRESH]),
      );
      const { read, cache } = createCachingClient();
      const name = Object.keys(ada.headers ?? {}).join("");
      expect(await read(server.url(), ada)).toBe("body 0");
      expect(await read(server.url())).toBe("body 1");
      expect(await read(server.url(), { headers: { [name]: "secret-of-bob" } })).toBe("body 2");
      expect(await read(server.url(), ada)).toBe("body 0");
      const stored = JSON.stringify(await cache.find(server.url()));
      expect(stored).not.toContain("secret");
    },
  );

  it("a response to the login of a URL is only for URLs with the same login", async () => {
    await using server = await startRecordingOriginServer((request, index) =>
      hasHeader(request, "authorization")
        ? createResponseText(`body ${index}`, [FRESH])
        : createResponseText("", ['www-authenticate: Basic realm="r"'], "401 Unauthorized"),
    );
    const { read, cache } = createCachingClient();
    const asUser = (login: string): string => server.url().replace("://", `://${login}@`);
    expect(await read(asUser("lovelace:pw1"))).toBe("body 1");
    expect(await read(asUser("lovelace:pw1"))).toBe("body 1");
    expect(await read(asUser("lovelace:pw2"))).toBe("body 3");
    expect(await getRejectedError(read(server.url()))).toMatchObject({ code: "authentication-required" });
    expect(JSON.stringify(await cache.find(server.url()))).not.toMatch(/lovelace|pw1/);
  });

  it.each([false, true])(
    "a response to credentials of the callback is not stored (preemptive: %s)",
    async (preemptive) => {
      await using server = await startRecordingOriginServer((request, index) =>
        hasHeader(request, "authorization")
          ? createResponseText(`body ${index}`, [FRESH])
          : createResponseText("", ['www-authenticate: Basic realm="r"'], "401 Unauthorized"),
      );
      const { read } = createCachingClient({ credentials: () => ({ user: "ada", password: "pw" }) });
      const first = await read(server.url(), { preemptive });
      expect(await read(server.url(), { preemptive })).not.toBe(first);
    },
  );
});

it("a shared cache does not use the private responses in the same database", async () => {
  await using server = await startRecordingOriginServer((_request, index) =>
    createResponseText(`body ${index}`, [`${FRESH}, private`]),
  );
  const cache = memoryCache();
  expect(await createCachingClient({ cache }).read(server.url())).toBe("body 0");
  expect(await createCachingClient({ cache: { ...cache, isShared: true } }).read(server.url())).toBe(
    "body 1",
  );
  expect(await createCachingClient({ cache }).read(server.url())).toBe("body 0");
});

describe("the policy of a request decides which stored responses the client returns", () => {
  it("a response of a private server is not used by a client that may not connect to it", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("secret", [FRESH]));
    const cache = memoryCache();
    const resolver = (): Promise<string[]> => Promise.resolve(["127.0.0.1"]);
    const url = server.url().replace("127.0.0.1", "files.example");
    const policies = {
      wide: anyAddress(),
      strict: publicInternet(),
      allowed: publicInternet({ allowAddresses: ["127.0.0.1"] }),
    };
    const readWith = (policy: keyof typeof policies): Promise<string> =>
      createCachingClient({ cache, resolver, policy: policies[policy] }).read(url);
    expect(await readWith("wide")).toBe("secret");
    expect(await getRejectedError(readWith("strict"))).toMatchObject({ code: "refused-address" });
    expect(await readWith("allowed")).toBe("secret");
    expect(server.requests).toHaveLength(1);
  });

  it("the policy of a request also applies to a stored redirect and its target", async () => {
    await using server = await startRecordingOriginServer(([line]) =>
      line?.startsWith("GET /a")
        ? createResponseText("", [FRESH, "location: /b"], "301 Moved")
        : createResponseText("x", [FRESH]),
    );
    const { client, read } = createCachingClient();
    await read(server.url("/a"));
    expect(await read(server.url("/a"))).toBe("x");
    expect(server.requests).toHaveLength(2);
    const refused = getWithGivenClient(client, server.url("/a"), { policy: publicInternet() });
    expect(await getRejectedError(refused)).toMatchObject({ code: "refused-address" });
  });
});

describe("unsafe requests delete stored responses", () => {
  const cases = [
    { title: "POST", options: { method: "POST", body: "x" }, status: "200 OK", isDeleted: true },
    { title: "PUT", options: { method: "PUT", body: "x" }, status: "201 Created", isDeleted: true },
    { title: "DELETE", options: { method: "DELETE" }, status: "204 No Content", isDeleted: true },
    { title: "an unknown method", options: { method: "FROB" }, status: "200 OK", isDeleted: true },
    {
      title: "POST with an error",
      options: { method: "POST", body: "x", throwHttpErrors: false },
      status: "400 Bad",
      isDeleted: false,
    },
    { title: "OPTIONS", options: { method: "OPTIONS" }, status: "200 OK", isDeleted: false },
  ];
  it.each(cases)("$title deletes the stored response: $isDeleted", async ({ options, status, isDeleted }) => {
    await using server = await startRecordingOriginServer(([line], index) =>
      line?.startsWith("GET")
        ? createResponseText(`body ${index}`, [FRESH])
        : createResponseText("", [], status).replace(
            /content-length: 0\r\n/,
            status.startsWith("204") ? "" : "$&",
          ),
    );
    const { client, read } = createCachingClient();
    await read(server.url(), { headers: { cookie: "a=b" } });
    await (await getWithGivenClient(client, server.url(), options)).bytes();
    expect(await read(server.url(), { headers: { cookie: "a=b" } })).toBe(isDeleted ? "body 2" : "body 0");
  });

  it("put deletes the stored response of the URL in Location, and delete that of its own URL", async () => {
    await using server = await startRecordingOriginServer(([line], index) =>
      line?.startsWith("GET")
        ? createResponseText(`body ${index}`, [FRESH])
        : createResponseText(
            "",
            ["location: /other", "content-location: http://elsewhere.example/"],
            "201 Created",
          ),
    );
    const { client, read } = createCachingClient();
    await read(server.url("/other"));
    await client.put(server.url("/"), "");
    expect(await read(server.url("/other"))).toBe("body 2");
    await client.delete(server.url("/other"));
    expect(await read(server.url("/other"))).toBe("body 4");
  });
});
