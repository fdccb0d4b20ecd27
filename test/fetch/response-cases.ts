import { createHash } from "node:crypto";
import {
  createResponsePropertiesCase,
  readResponseProperties,
  type FetchComparisonCase,
  awaitOrDescribeError,
} from "./fetch-comparison-case.ts";
import { SERVER_TEXT } from "./fetch-test-server.ts";

/** Returns the names of some header fields that a response has, with their values. */
async function headersOf(response: Promise<Response>, ...names: readonly string[]): Promise<unknown> {
  const { headers } = await response;
  return names.map((name) => [name, headers.get(name)]);
}

const createHeaderCase = (title: string, path: string, ...names: readonly string[]): FetchComparisonCase => ({
  title,
  observe: (fetch, { origin }) => awaitOrDescribeError(headersOf(fetch(`${origin}${path}`), ...names)),
});

/** Returns the integrity metadata of a text, by default of the text that the server sends. */
const digestOf = (algorithm: string, text = SERVER_TEXT): string =>
  `${algorithm}-${createHash(algorithm).update(text).digest("base64")}`;

const SHA256 = digestOf("sha256");

/** The comparison cases about the response that `fetch` returns. */
export const FETCH_RESPONSE_CASES: readonly FetchComparisonCase[] = [
  createResponsePropertiesCase("a response with text", "/text"),
  createResponsePropertiesCase("a response with an empty body", "/empty"),
  createResponsePropertiesCase("a response with status 404", "/none"),
  ...[200, 201, 203, 206, 226, 299, 300, 305, 400, 401, 404, 407, 418, 429, 500, 503, 599].map((code) =>
    createResponsePropertiesCase(`status ${code}`, `/status?code=${code}&body=x`),
  ),
  ...[204, 205, 304].map((code): FetchComparisonCase => ({
    title: `status ${code} has no body`,
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        fetch(`${origin}/status?code=${code}`).then(async (response) => [
          response.body,
          response.headers.get("etag"),
          await readResponseProperties(response, origin),
        ]),
      ),
  })),
  createResponsePropertiesCase("status 600", "/status?code=600"),
  createResponsePropertiesCase("a reason phrase", "/status?code=200&reason=All%20fine"),
  {
    title: "a response to HEAD has no body",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        fetch(`${origin}/text`, { method: "HEAD" }).then(async (response) => [
          response.body,
          await readResponseProperties(response, origin),
        ]),
      ),
  },
  {
    title: "a response to HEAD has the header fields of a GET",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        headersOf(fetch(`${origin}/coding?name=gzip`, { method: "HEAD" }), "content-encoding"),
      ),
  },
  createHeaderCase("repeated header fields are joined", "/headers", "x-a", "X-A", "x-empty", "x-none"),
  createHeaderCase("a header field has one character per byte", "/headers", "x-latin"),
  {
    title: "Set-Cookie is visible",
    observe: async (fetch, { origin }) => (await fetch(`${origin}/headers`)).headers.getSetCookie(),
  },
  createHeaderCase("header fields of the connection", "/parts", "transfer-encoding", "connection"),
  {
    title: "a response is an instance of Response",
    observe: async (fetch, { origin }) => (await fetch(`${origin}/text`)) instanceof Response,
  },
  {
    title: "the header fields of a response cannot be changed",
    async observe(fetch, { origin }) {
      const response = await fetch(`${origin}/text`);
      try {
        response.headers.set("x", "y");
        return "changed";
      } catch (error) {
        return (error as Error).name;
      }
    },
  },
  ...[
    "gzip",
    "x-gzip",
    "GZIP",
    "deflate",
    "raw-deflate",
    "br",
    "deflate, gzip",
    "identity",
    "unknown",
    "broken",
    "short",
  ].map((name) =>
    createResponsePropertiesCase(`the content coding ${name}`, `/coding?name=${encodeURIComponent(name)}`),
  ),
  createHeaderCase("header fields of a decoded body", "/coding?name=gzip", "content-encoding"),
  createHeaderCase(
    "header fields of a body in an unknown coding",
    "/coding?name=unknown",
    "content-encoding",
  ),
  {
    title: "all methods that read a body",
    async observe(fetch, { origin }) {
      const get = (type = "text/plain", body = "{}"): Promise<Response> =>
        fetch(`${origin}/type?type=${encodeURIComponent(type)}&body=${encodeURIComponent(body)}`);
      const blob = await (await get("text/x; charset=utf-8")).blob();
      const form = await (await get("application/x-www-form-urlencoded", "a=1&b=2")).formData();
      const multipart = await (
        await get(
          "multipart/form-data; boundary=B",
          '--B\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--B--\r\n',
        )
      ).formData();
      return [
        await (await get()).json(),
        await (await get()).text(),
        (await (await get()).arrayBuffer()).byteLength,
        [...(await ((await get()) as Response & { bytes(): Promise<Uint8Array> }).bytes())],
        [blob.type, await blob.text()],
        [...form],
        [...multipart],
      ];
    },
  },
  {
    title: "text is decoded as UTF-8 without a byte order mark, whatever the charset",
    async observe(fetch, { origin }) {
      const get = (body: string): Promise<Response> =>
        fetch(`${origin}/type?type=text/plain%3Bcharset=latin1&body=${encodeURIComponent(body)}`);
      return [await (await get("\u00e9")).text(), await (await get("\u00ef\u00bb\u00bfx")).text()];
    },
  },
  {
    title: "a body can be read once",
    async observe(fetch, { origin }) {
      const response = await fetch(`${origin}/text`);
      const before = response.bodyUsed;
      await response.text();
      return [
        before,
        response.bodyUsed,
        await awaitOrDescribeError(response.text()),
        await awaitOrDescribeError(Promise.resolve().then(() => response.clone())),
      ];
    },
  },
  {
    title: "a clone has the fields and the body of the response",
    async observe(fetch, { origin }) {
      const response = await fetch(`${origin}/status?code=302&location=/headers`);
      const clone = response.clone();
      const second = clone.clone();
      return [
        await readResponseProperties(response, origin),
        await readResponseProperties(clone, origin),
        await readResponseProperties(second, origin),
        clone.headers.get("x-a"),
      ];
    },
  },
  {
    title: "a body is a byte stream that can be iterated",
    async observe(fetch, { origin }) {
      const { body } = await fetch(`${origin}/parts`);
      let text = "";
      for await (const chunk of body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
      const byob = (await fetch(`${origin}/text`)).body?.getReader({ mode: "byob" });
      const { value } = (await byob?.read(new Uint8Array(4))) ?? {};
      await byob?.cancel();
      return [text, Buffer.from(value ?? []).toString()];
    },
  },
  {
    title: "a body can be cancelled",
    async observe(fetch, { origin }) {
      const response = await fetch(`${origin}/hang-in-body`);
      await response.body?.cancel("enough");
      return [response.bodyUsed, await awaitOrDescribeError(response.text())];
    },
  },
  {
    title: "the URL of a response has no fragment and the form of the URL Standard",
    async observe(fetch, { origin }) {
      const { url } = await fetch(`${origin.replace("http", "HTTP")}/a/../text?x y#part`);
      return url.replace(origin, "");
    },
  },
  {
    title: "a Range request",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        fetch(`${origin}/range`, { headers: { range: "bytes=4-8" } }).then(async (response) => [
          await headersOf(Promise.resolve(response), "content-range"),
          await readResponseProperties(response, origin),
        ]),
      ),
  },
  {
    title: "a conditional request returns status 304 with its header fields",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        fetch(`${origin}/conditional`, { headers: { "if-none-match": '"v"' } }).then(async (response) => [
          await headersOf(Promise.resolve(response), "etag", "x-a"),
          await readResponseProperties(response, origin),
        ]),
      ),
  },
  ...[
    ["a matching digest", SHA256],
    ["the integrity metadata has two digests, and the stronger one decides", `${SHA256} sha512-AAAA`],
    ["the integrity metadata has two digests, and one of them matches", `sha256-AAAA ${SHA256}`],
    ["another digest", "sha256-AAAA"],
    ["an unknown algorithm", "md5-AAAA"],
    ["no digest", ""],
    ["a digest with options", `${SHA256}?x`],
    [
      "the integrity metadata has a wrong digest of a stronger algorithm",
      `${SHA256} ${digestOf("sha384", "another text")}`,
    ],
  ].map(([name = "", integrity = ""]) =>
    createResponsePropertiesCase(`the option integrity: ${name}`, "/text", () => ({ integrity })),
  ),
  createResponsePropertiesCase("an early response to a long body", "/early", () => ({
    method: "POST",
    body: new Uint8Array(5_000_000),
  })),
];
