import { gzipSync } from "node:zlib";
import { anyAddress, publicInternet } from "@anyscheme/core";
import { interceptors, request } from "undici";
import { describe, expect, it } from "vitest";
import { SERVER_CERTIFICATE_PEM as ca } from "../../scheme-http/test/certificates.ts";
import { guardedAgent } from "../src/index.ts";
import { catchCause, type ReceivedTlsRequest, startHttpServer, startSecureServer } from "./http-server.ts";

const policy = anyAddress();

type Answer = { address: string; family: 4 | 6; ttl: number };

/** Creates undici's interceptor for DNS, which answers with fixed addresses. */
function createDnsInterceptor(...addresses: string[]): ReturnType<typeof interceptors.dns> {
  const answers: Answer[] = addresses.map((address) => ({ address, family: 4, ttl: 1_000 }));
  return interceptors.dns({ lookup: (_, __, callback) => callback(null, answers), dualStack: false });
}

describe("guardedAgent with the interceptors of undici", () => {
  it("guardedAgent judges the address that the dns interceptor has found", async () => {
    const dispatcher = guardedAgent().compose(createDnsInterceptor("169.254.169.254"));
    const error = await catchCause(request("http://name.example/", { dispatcher }));
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
    expect((await catchCause(get("other.example"))).code).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    await agent.close();
  });

  it("the dns interceptor receives the error of Node.js when an address is unavailable", async () => {
    const server = await startHttpServer(() => undefined);
    await server[Symbol.asyncDispose]();
    const dispatcher = guardedAgent({ policy }).compose(createDnsInterceptor("127.0.0.1"));
    const error = await catchCause(request(`http://name.example:${server.port}/`, { dispatcher }));
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
    const error = await catchCause(request("http://name.example/", { dispatcher: refusing.compose(retry) }));
    expect([error.code, lookups]).toEqual(["refused-address", 1]);
    await agent.close();
  });

  it("the retry interceptor resumes a compressed body at the received byte", async () => {
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

  it("the cache interceptor stores responses, and refused requests reach no cache", async () => {
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
    expect((await catchCause(request("http://10.0.0.1/", { dispatcher }))).code).toBe("refused-address");
    await agent.close();
  });

  it("the redirect interceptor follows redirects to allowed servers only", async () => {
    await using server = await startHttpServer((incoming, response) => {
      response.writeHead(302, { location: incoming.url === "/private" ? "http://10.0.0.1/" : "/private" });
      response.end();
    });
    const agent = guardedAgent({ policy: publicInternet({ allowAddresses: ["127.0.0.1"] }) });
    const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }));
    expect((await catchCause(request(server.origin, { dispatcher }))).code).toBe("refused-address");
    await agent.close();
  });
});
