import { startScriptedServer } from "@anyscheme/core/testing";
import { startFtpTestServer, startHttpFileTestServer } from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestGateway, startTestGateway, startGopherServer } from "../test-gateway.ts";

const fileContent = "0123456789".repeat(10);
const servedFiles = { "a.txt": fileContent, "a.bin": Buffer.from(fileContent) };
const crlfText = "a\r\nb\r\n";

let testGateway: TestGateway;
let gatewayPaths: Record<string, string>;
const serverStops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const [ftp, http, gopher] = await Promise.all([
    startFtpTestServer({ files: { ...servedFiles, "crlf.txt": crlfText, "pub/x": "" } }),
    startHttpFileTestServer({ files: servedFiles }),
    startGopherServer({ "/a": `${fileContent}\r\n.\r\n` }),
  ]);
  serverStops.push(...[ftp, http, gopher].map((server) => () => server.stop()));
  gatewayPaths = {
    ftp: `/ftp/127.0.0.1:${ftp.port}/a.txt`,
    crlf: `/ftp/127.0.0.1:${ftp.port}/crlf.txt`,
    crlfAsText: `/ftp/127.0.0.1:${ftp.port}/crlf.txt;type=a`,
    ftpDirectory: `/ftp/127.0.0.1:${ftp.port}/pub/`,
    http: `/http/127.0.0.1:${http.port}/a.bin`,
    gopher: `/gopher/127.0.0.1:${gopher.port}/0/a`,
  };
  testGateway = await startTestGateway([ftp.port, http.port, gopher.port]);
});
afterAll(async () => {
  await testGateway[Symbol.asyncDispose]();
  for (const stop of serverStops) await stop();
});

describe("the gateway supports range requests (RFC 9110 §14)", () => {
  it.each([
    ["ftp", "bytes=10-13", 206, "0123", "bytes 10-13/100"],
    ["ftp", "bytes=96-", 206, "6789", "bytes 96-99/100"],
    ["ftp", "bytes=96-200", 206, "6789", "bytes 96-99/100"],
    ["http", "bytes=10-13", 206, "0123", "bytes 10-13/100"],
    ["http", "bytes=96-", 206, "6789", "bytes 96-99/100"],
    // The gateway ignores suffix ranges, multiple ranges and invalid ranges, and sends the whole content.
    ["ftp", "bytes=-4", 200, fileContent, undefined],
    ["ftp", "bytes=9-3", 200, fileContent, undefined],
    ["ftp", "bytes=0-1,4-5", 200, fileContent, undefined],
    ["ftp", "lines=1-2", 200, fileContent, undefined],
    ["gopher", "bytes=0-3", 200, `${fileContent}\r\n`, undefined],
  ])(
    "the gateway responds to a request for the %s content with Range: %s with the status %i",
    async (scheme, range, status, body, contentRange) => {
      const answer = await testGateway.request(`/~raw${gatewayPaths[scheme]}`, { headers: { range } });
      expect(answer).toMatchObject({ status, text: body, isComplete: true });
      expect(answer.headers["content-range"]).toBe(contentRange);
    },
  );

  it.each([
    ["ftp", "a range that begins after the end", "bytes=500-"],
    ["http", "a range that begins after the end", "bytes=500-"],
    ["ftp", "a range that begins at the end", "bytes=100-"],
    ["http", "a range that begins at the end", "bytes=100-"],
    ["http", "a range that begins at the end and has a last byte", "bytes=100-120"],
  ])("the gateway sends 416 for the %s content and %s", async (scheme, _, range) => {
    const answer = await testGateway.request(`/~raw${gatewayPaths[scheme]}`, { headers: { range } });
    expect([answer.status, answer.headers["content-range"]]).toEqual([416, "bytes */100"]);
    expect(answer.text).toContain('role="alert"');
  });

  it.each([
    [
      "bytes=2-4",
      "HTTP/1.1 206 Part\r\nContent-Range: bytes 2-4/*\r\nContent-Length: 3\r\n\r\n234",
      206,
      "bytes 2-4/*",
    ],
    // A server may send only the beginning of the requested range. RFC 9110 §15.3.7.
    [
      "bytes=2-",
      "HTTP/1.1 206 Part\r\nContent-Range: bytes 2-4/*\r\nContent-Length: 3\r\n\r\n234",
      206,
      "bytes 2-4/*",
    ],
    ["bytes=2-4", "HTTP/1.1 416 No\r\nContent-Length: 0\r\n\r\n", 416, undefined],
  ])(
    "the gateway states no length for the range %s if the server does not state the length: %j",
    async (range, reply, status, contentRange) => {
      await using server = await startScriptedServer(async (peer) => {
        while (await peer.readLine());
        peer.send(reply);
      });
      await using fixture = await startTestGateway([server.port]);
      const answer = await fixture.request(`/~raw/http/127.0.0.1:${server.port}/a.bin`, {
        headers: { range },
      });
      expect([answer.status, answer.headers["content-range"]]).toEqual([status, contentRange]);
    },
  );

  it("the gateway ignores Range in a request with If-Range, and in a request for a page", async () => {
    const headers = { range: "bytes=0-3" };
    const withIfRange = { ...headers, "if-range": '"abc"' };
    expect((await testGateway.request(`/~raw${gatewayPaths["ftp"]}`, { headers: withIfRange })).status).toBe(
      200,
    );
    const page = await testGateway.request(`${gatewayPaths["ftp"]}`, { headers });
    expect([page.status, page.text.includes(fileContent)]).toEqual([200, true]);
  });
});

describe("the raw view and the download of a text file from FTP have the bytes of the server", () => {
  it.each<[view: string, path: string, range: string | undefined, body: string, headers: object]>([
    ["/~raw", "crlf", undefined, crlfText, { "content-length": "6" }],
    ["/~download", "crlf", undefined, crlfText, { "content-length": "6" }],
    ["/~raw", "crlf", "bytes=2-4", "\nb\r", { "content-range": "bytes 2-4/6" }],
    ["/~download", "crlf", "bytes=3-", "b\r\n", { "content-range": "bytes 3-5/6" }],
    // The URL asks for text, whose length and ranges the client does not know.
    ["/~raw", "crlfAsText", undefined, "a\nb\n", {}],
    ["/~raw", "crlfAsText", "bytes=2-4", "a\nb\n", {}],
  ])(
    "the response in the view %s for the test file %s with the range %s has the expected body",
    async (view, path, range, body, headers) => {
      const answer = await testGateway.request(`${view}${gatewayPaths[path]}`, {
        headers: range === undefined ? {} : { range },
      });
      expect(answer).toMatchObject({ status: "content-range" in headers ? 206 : 200, text: body, headers });
    },
  );

  it("a program that uses the gateway as a proxy receives the bytes of the server", async () => {
    const url = `ftp://${String(gatewayPaths["crlf"]).replace("/ftp/", "")}`;
    const { host } = new URL(url);
    expect(await testGateway.request(url, { headers: { host, accept: "*/*" } })).toMatchObject({
      status: 200,
      text: crlfText,
    });
  });

  it("the raw view of an FTP directory is the page of the directory", async () => {
    const { status, text } = await testGateway.request(`/~raw${gatewayPaths["ftpDirectory"]}`);
    expect([status, text.includes("<table")]).toEqual([200, true]);
  });
});

describe("the gateway supports If-Modified-Since (RFC 9110 §13)", () => {
  const day = 86_400_000;
  const modifiedOfHttp = async (): Promise<number> =>
    Date.parse(String((await testGateway.request(`/~raw${gatewayPaths["http"]}`)).headers["last-modified"]));

  it.each([
    ["ftp", () => Date.now() + day, 304],
    ["ftp", () => 0, 200],
    ["http", modifiedOfHttp, 304],
    ["http", async () => (await modifiedOfHttp()) - day, 200],
    ["gopher", () => Date.now(), 200],
    ["ftp", () => Number.NaN, 200],
  ])(
    "the gateway sends %s content unless the content is known to be unchanged since If-Modified-Since",
    async (scheme, since, status) => {
      const headers = { "if-modified-since": new Date(await since()).toUTCString() };
      const answer = await testGateway.request(`/~raw${gatewayPaths[scheme]}`, { headers });
      expect([answer.status, answer.text === ""]).toEqual([status, status === 304]);
      if (status === 304) expect(answer.headers["content-length"]).toBeUndefined();
    },
  );
});

it("the gateway ignores If-Modified-Since in a request with If-None-Match (RFC 9110 §13.1.3)", async () => {
  const headers = {
    "if-modified-since": new Date(Date.now() + 86_400_000).toUTCString(),
    "if-none-match": '"v1"',
  };
  expect((await testGateway.request(`/~raw${gatewayPaths["ftp"]}`, { headers })).status).toBe(200);
});

it.each(["Sun, 31 Feb 2094 00:00:00 GMT", "Sun, 07 Feb 2094 25:00:00 GMT", "2094-01-01", "tomorrow"])(
  "the gateway sends the whole content if If-Modified-Since has the invalid date %s (RFC 9110 §13.1.3)",
  async (date) => {
    const headers = { "if-modified-since": date };
    expect((await testGateway.request(`/~raw${gatewayPaths["ftp"]}`, { headers })).status).toBe(200);
  },
);

describe("the gateway supports HEAD requests", () => {
  it.each(["/", "RAW", "PAGE", "/gopher/127.0.0.1:1/"])(
    "the response to a HEAD request has the header fields of the GET response and no body: %s",
    async (path) => {
      const target = path
        .replace("RAW", `/~raw${gatewayPaths["ftp"]}`)
        .replace("PAGE", String(gatewayPaths["gopher"]));
      const get = await testGateway.request(target);
      const head = await testGateway.request(target, { method: "HEAD" });
      const ignored = new Set(["content-length", "transfer-encoding", "date", "connection", "keep-alive"]);
      const compared = ({ headers }: typeof get): object =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !ignored.has(name)));
      expect({ status: head.status, text: head.text, ...compared(head) }).toEqual({
        status: get.status,
        text: "",
        ...compared(get),
      });
    },
  );
});
