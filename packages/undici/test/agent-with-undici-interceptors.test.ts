import { gzipSync } from "node:zlib";
import { anyAddress, publicInternet } from "@anyscheme/core";
import { interceptors, request } from "undici";
import { describe, expect, it } from "vitest";
import { SERVER_CERTIFICATE_PEM as ca } from "../../scheme-http/test/test-certificates.ts";
import { guardedAgent, responseLimitsInterceptor } from "../src/index.ts";
import {
  getRejectionCause,
  type ReceivedTlsRequest,
  startHttpServer,
  startSecureServer,
} from "./http-server.ts";

const policy = anyAddress();

type Answer = { address: string; family: 4 | 6; ttl: number };

/** Creates undici's interceptor for DNS, which answers with fixed addresses. */
function createDnsInterceptor(...addresses: string[]): ReturnType<typeof interceptors.dns> {
  const answers: Answer[] = addresses.map((address) => ({ address, family: 4, ttl: 1_000 }));
  return interceptors.dns({ lookup: (_, __, callback) => callback(null, answers), dualStack: false });
}

describe("guardedAgent with the interceptors of undici", () => {
  it("guardedAgent refuses a link-local address that the dns interceptor has found", async () => {
    const dispatcher = guardedAgent().compose(createDnsInterceptor("169.254.169.254"));
    const error = await getRejectionCause(request("http://name.example/", { dispatcher }));
    expect(error.code).toBe("refused-address");
  });

  it("guardedAgent verifies the certificate for the host name that the dns interceptor has resolved", async () => {
    const requests: ReceivedTlsRequest[] = [];
    await using server = await startSecureServer(requests);
    const dns = createDnsInterceptor("127.0.0.1");
    const agent = guardedAgent({ policy, ca });
    const get = (name: string): ReturnType<typeof request> =>
      request(`https://${name}:${server.port}/`, { dispatcher: agent.compose(dns) });
    expect(await (await get("secure.example")).body.text()).toBe("secret");
    expect(requests).toMatchObject([{ serverName: "secure.example" }]);
    expect((await getRejectionCause(get("other.example"))).code).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    await agent.close();
  });

  it("the dns interceptor receives the error of Node.js when an address is unavailable", async () => {
    const server = await startHttpServer(() => undefined);
    await server[Symbol.asyncDispose]();
    const dispatcher = guardedAgent({ policy }).compose(createDnsInterceptor("127.0.0.1"));
    const error = await getRejectionCause(request(`http://name.example:${server.port}/`, { dispatcher }));
    expect(error.code).toBe("ECONNREFUSED");
  });

  it("the retry interceptor repeats a request after a lost connection, and not after a refusal", async () => {
    let requests = 0;
    await using server = await startHttpServer((_, response) => {
      if (++requests < 3) response.destroy();
      else response.end("third");
    });
    const retry = interceptors.retry({ minTimeout: 1, maxRetries: 5 });
    const agent = guardedAgent({ policy });
    const response = await request(server.origin, { dispatcher: agent.compose(retry) });
    expect(await response.body.text()).toBe("third");
    let lookups = 0;
    const refusing = guardedAgent({
      resolver() {
        lookups++;
        return Promise.resolve(["10.0.0.1"]);
      },
    });
    const error = await getRejectionCause(
      request("http://name.example/", { dispatcher: refusing.compose(retry) }),
    );
    expect([error.code, lookups]).toEqual(["refused-address", 1]);
    await agent.close();
  });

  it("the retry interceptor resumes a compressed body after the last received byte", async () => {
    const text = "0123456789".repeat(20);
    const body = gzipSync(text);
    const ranges: (string | undefined)[] = [];
    await using server = await startHttpServer((incoming, response) => {
      const { range } = incoming.headers;
      ranges.push(range);
      const start = Number(/^bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
      const end = body.length - 1;
      response.writeHead(start > 0 ? 206 : 200, {
        "content-encoding": "gzip",
        "content-length": body.length - start,
        etag: '"one"',
        ...(start > 0 && { "content-range": `bytes ${start}-${end}/${body.length}` }),
      });
      if (start > 0) response.end(body.subarray(start));
      else response.write(body.subarray(0, 12), () => setImmediate(() => response.destroy()));
    });
    const agent = guardedAgent({ policy });
    const retry = interceptors.retry({ minTimeout: 1 });
    const response = await request(server.origin, { dispatcher: agent.compose(retry) });
    expect(Buffer.from(await response.body.arrayBuffer())).toEqual(body);
    expect(ranges).toEqual([undefined, `bytes=12-${body.length - 1}`]);
    await agent.close();
  });

  it.each([
    ["plain", Buffer.alloc(1_000), 1_000, {}, undefined],
    ["plain", Buffer.alloc(1_000), 999, {}, "maxBodyBytes"],
    ["plain", Buffer.alloc(1_000), 999, { range: "bytes=0-999" }, "maxBodyBytes"],
    ["gzip", gzipSync(Buffer.alloc(100_000)), 100_000, {}, undefined],
    ["gzip", gzipSync(Buffer.alloc(100_000)), 99_999, {}, "maxBodyBytes"],
  ])(
    "the limits cover a %s body whose parts the retry interceptor joins, case %#",
    async (coding, body, maxBodyBytes, headers, limit) => {
      let requests = 0;
      await using server = await startHttpServer((incoming, response) => {
        requests++;
        const [, start = 0] = (/^bytes=(\d+)-/.exec(incoming.headers.range ?? "") ?? []).map(Number);
        const part = body.subarray(start, start + 60 * Math.ceil(body.length / 200));
        response.writeHead(incoming.headers.range === undefined ? 200 : 206, {
          ...(coding === "gzip" && { "content-encoding": coding }),
          "content-length": body.length - start,
          "content-range": `bytes ${start}-${body.length - 1}/${body.length}`,
          etag: '"one"',
        });
        if (start + part.length === body.length) response.end(part);
        else response.write(part, () => setImmediate(() => response.destroy()));
      });
      const agent = guardedAgent({ policy, limits: { maxBodyBytes, maxDecodedRatio: Infinity } });
      const dispatcher = agent.compose(interceptors.retry({ minTimeout: 1 }));
      const work = request(server.origin, { dispatcher, headers }).then((response) =>
        response.body.arrayBuffer(),
      );
      if (limit === undefined) expect(Buffer.from(await work)).toEqual(body);
      else expect(await getRejectionCause(work)).toMatchObject({ code: "limit", limit });
      expect(requests).toBeGreaterThan(1);
      await agent.close();
    },
  );

  it("responseLimitsInterceptor after the retry interceptor limits the time of all attempts together", async () => {
    await using server = await startHttpServer((_, response) => response.writeHead(503).end());
    const agent = guardedAgent({ policy });
    const retry = interceptors.retry({ minTimeout: 1, maxTimeout: 1, maxRetries: Number.MAX_SAFE_INTEGER });
    const dispatcher = agent.compose(retry, responseLimitsInterceptor({ callTimeoutMs: 50 }));
    const error = await getRejectionCause(request(server.origin, { dispatcher }));
    expect(error).toMatchObject({ code: "timeout", limit: "callTimeoutMs" });
    await agent.close();
  });

  it("maxBodyBytes counts only the received part of a file that the program resumes itself", async () => {
    await using server = await startHttpServer((_, response) => {
      response.writeHead(206, { "content-range": "bytes 5000-5004/9000" }).end("12345");
    });
    const dispatcher = guardedAgent({ policy, limits: { maxBodyBytes: 5 } });
    const { body } = await request(server.origin, { dispatcher, headers: { range: "bytes=5000-5004" } });
    expect(await body.text()).toBe("12345");
    await dispatcher.close();
  });

  it("the cache interceptor stores responses, and a request to a private address is refused", async () => {
    let requests = 0;
    await using server = await startHttpServer((_, response) => {
      requests++;
      response.writeHead(200, { "cache-control": "max-age=600" }).end("stored");
    });
    const agent = guardedAgent({ policy: publicInternet({ allowAddresses: ["127.0.0.1"] }) });
    const dispatcher = agent.compose(interceptors.cache());
    for (let round = 0; round < 3; round++)
      expect(await (await request(server.origin, { dispatcher })).body.text()).toBe("stored");
    expect(requests).toBe(1);
    expect((await getRejectionCause(request("http://10.0.0.1/", { dispatcher }))).code).toBe(
      "refused-address",
    );
    await agent.close();
  });

  it.each([
    ["retry", interceptors.retry()],
    ["cache", interceptors.cache()],
    ["responseError", interceptors.responseError()],
  ])("the built-in fetch receives responses through the interceptor %s", async (_, interceptor) => {
    await using server = await startHttpServer((__, response) => response.end("body"));
    const agent = guardedAgent({ policy });
    const dispatcher = agent.compose(interceptor).compose(interceptors.redirect());
    const response = await fetch(server.origin, { dispatcher } as unknown as RequestInit);
    expect(await response.text()).toBe("body");
    await agent.close();
  });

  it("the redirect interceptor follows redirects to allowed servers only", async () => {
    await using server = await startHttpServer((incoming, response) => {
      response.writeHead(302, { location: incoming.url === "/private" ? "http://10.0.0.1/" : "/private" });
      response.end();
    });
    const agent = guardedAgent({ policy: publicInternet({ allowAddresses: ["127.0.0.1"] }) });
    const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }));
    expect((await getRejectionCause(request(server.origin, { dispatcher }))).code).toBe("refused-address");
    await agent.close();
  });
});
