import { inspect } from "node:util";
import type { LoopbackServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { createServerUrl, getRejectedError, getWithSharedTestClient } from "../test-client.ts";
import {
  createByteStreamFromTexts,
  EMPTY_BODY_RESPONSE,
  getReceivedHeadAndBody,
  startBodyReadingServer,
} from "./body-reading-server.ts";

describe("a redirect of a request with a body", () => {
  /** Starts a server that redirects `/` to a Location, and answers other paths. */
  const startMovingServer = (status: number, location = "/x"): Promise<LoopbackServer> =>
    startBodyReadingServer((head) =>
      head[0]?.includes(" / ")
        ? `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
        : EMPTY_BODY_RESPONSE,
    );
  const headers = { "content-type": "text/x", "x-secret": "n33dle" };

  it.each([
    ["POST", 301, "GET"],
    ["POST", 302, "GET"],
    ["POST", 303, "GET"],
    ["POST", 307, "POST"],
    ["POST", 308, "POST"],
    ["PUT", 301, "PUT"],
    ["PUT", 302, "PUT"],
    ["PUT", 303, "GET"],
    ["PATCH", 307, "PATCH"],
    ["DELETE", 303, "GET"],
  ])("a redirect of the method %s with status %d continues with %s", async (method, status, next) => {
    await using server = await startMovingServer(status);
    const resource = await getWithSharedTestClient(createServerUrl(server), {
      method,
      body: "hello",
      headers,
    });
    expect(resource.plan.steps.length).toBeGreaterThan(0);
    const requests = server.connections.map(({ received }) => received.toString()).join("");
    const second = requests.slice(requests.indexOf(`${next} /x `));
    expect(second).toMatch(/^[A-Z]+ \/x HTTP/);
    expect(second).toContain("\r\nx-secret: n33dle\r\n");
    const isGet = next === "GET";
    expect(second.endsWith("\r\n\r\nhello")).toBe(!isGet);
    expect(second.includes("content-type: text/x")).toBe(!isGet);
    expect(second.includes("content-length: 5")).toBe(!isGet);
  });

  it("the client follows a redirect from a POST to a GET of the same URL", async () => {
    await using server = await startBodyReadingServer((head) =>
      head[0]?.startsWith("POST")
        ? "HTTP/1.1 303 See Other\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
        : EMPTY_BODY_RESPONSE,
    );
    const resource = await getWithSharedTestClient(createServerUrl(server), { method: "POST", body: "x" });
    expect([resource.httpResponse.status, resource.redirectChain.length]).toEqual([200, 1]);
  });

  it("after a POST, two GETs that redirect to each other form a loop", async () => {
    await using server = await startBodyReadingServer((head) => {
      const location = head[0]?.includes(" / ") ? "/x" : "/";
      return `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
    });
    expect(
      await getRejectedError(getWithSharedTestClient(createServerUrl(server), { method: "POST" })),
    ).toMatchObject({
      code: "refused-redirect",
      reason: "the redirects form a loop",
    });
  });

  it("a form is repeated with the same boundary at another origin, without the headers that may be secret", async () => {
    await using second = await startBodyReadingServer();
    await using first = await startMovingServer(307, createServerUrl(second, "/x"));
    const body = new FormData();
    body.append("a", "b");
    await getWithSharedTestClient(createServerUrl(first), {
      method: "POST",
      body,
      headers: { "x-secret": "n33dle" },
    });
    expect(getReceivedHeadAndBody(second).body).toBe(getReceivedHeadAndBody(first).body);
    expect(getReceivedHeadAndBody(second).head).toContain("\r\ncontent-type: multipart/form-data; boundary=");
    expect(getReceivedHeadAndBody(first).head).toContain("n33dle");
    expect(getReceivedHeadAndBody(second).head).not.toContain("n33dle");
  });

  it.each([301, 302, 307, 308])(
    "a stream as request body is not sent again after status %d",
    async (status) => {
      await using server = await startMovingServer(status);
      const options = { method: "POST", body: createByteStreamFromTexts("hello") };
      expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server), options))).toMatchObject(
        {
          code: "refused-redirect",
          advice: "pass the body as a string, bytes or a Blob instead of a stream",
        },
      );
    },
  );

  it("the request after status 303 omits a stream as body", async () => {
    await using server = await startMovingServer(303);
    const options = { method: "POST", body: createByteStreamFromTexts("hello") };
    expect((await getWithSharedTestClient(createServerUrl(server), options)).httpResponse.status).toBe(200);
  });
});

describe("a login for a request with a body", () => {
  const challenge = 'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="r"\r\nContent-Length: 0\r\n\r\n';
  const credentials = (): { user: string; password: string } => ({ user: "bob", password: "n33dle" });
  const startLoginServer = (): Promise<LoopbackServer> =>
    startBodyReadingServer((head) =>
      head.some((line) => line.startsWith("authorization: ")) ? EMPTY_BODY_RESPONSE : challenge,
    );

  it("a body that can be repeated is sent again with the credentials", async () => {
    await using server = await startLoginServer();
    const options = { method: "POST", body: "hello", credentials };
    expect((await getWithSharedTestClient(createServerUrl(server), options)).httpResponse.status).toBe(200);
    expect(getReceivedHeadAndBody(server, 1).body).toBe("hello");
  });

  it("a stream as request body is not sent again for a login, and the response is an error", async () => {
    await using server = await startLoginServer();
    const options = { method: "POST", credentials };
    const url = createServerUrl(server);
    expect(
      await getRejectedError(
        getWithSharedTestClient(url, { ...options, body: createByteStreamFromTexts("a") }),
      ),
    ).toMatchObject({
      code: "authentication-required",
      reason: "the server asked for credentials after the body had been sent",
    });
    const raw = { ...options, body: createByteStreamFromTexts("a"), throwHttpErrors: false };
    expect((await getWithSharedTestClient(url, raw)).httpResponse.status).toBe(401);
  });
});

it("no error message and no trace contains a request body that the server echoes", async () => {
  const secret = "n33dle-pa55word";
  await using server = await startBodyReadingServer((head) =>
    head[0]?.includes(" / ")
      ? `HTTP/1.1 303 See ${secret}\r\nLocation: /x?${secret}\r\nContent-Length: 0\r\n\r\n`
      : `HTTP/1.1 422 Wrong ${secret}\r\nX-Echo: ${secret}\r\nContent-Length: ${secret.length}\r\n\r\n${secret}`,
  );
  const texts: string[] = [];
  const trace = (event: object): void => void texts.push(JSON.stringify(event));
  const body = `password=${secret}`;
  const error = await getRejectedError(
    getWithSharedTestClient(createServerUrl(server), { method: "POST", body, trace }),
  );
  expect(error.code).toBe("rejected");
  expect([error.response?.text(), error.response?.headers.get("x-echo")]).toEqual([secret, secret]);
  expect(server.connections[0]?.sent.toString()).toContain(secret);
  expect(
    [...texts, String(error), inspect(error, { showHidden: true }), JSON.stringify(error)].filter((text) =>
      text.includes(secret),
    ),
  ).toEqual([]);
});
