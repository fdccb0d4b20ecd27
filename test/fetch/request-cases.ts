import {
  createEchoCase,
  createStreamFromTexts,
  readEchoedRequest,
  type FetchComparisonCase,
  awaitOrDescribeError,
} from "./fetch-comparison-case.ts";

const BODY_FIELDS = ["content-type", "content-length", "transfer-encoding", "expect"];

/** Functions that create the option `headers` of a request in different forms. */
const HEADER_FORMS: readonly (readonly [string, () => NonNullable<RequestInit["headers"]>])[] = [
  ["an object", () => ({ "X-A": "1", "x-b": "2" })],
  [
    "pairs",
    () => [
      ["X-A", "1"],
      ["x-a", "2"],
    ],
  ],
  ["Headers", () => new Headers({ "X-A": " 1\t" })],
];

const BODIES: readonly (readonly [string, () => NonNullable<RequestInit["body"]>])[] = [
  ["a string", () => "gr\u00fcn"],
  ["an empty string", () => ""],
  ["a lone surrogate", () => "\ud800"],
  ["a Uint8Array", () => new Uint8Array([0, 255, 65])],
  ["an Int16Array", () => new Int16Array([1, 2])],
  ["a DataView", () => new DataView(new ArrayBuffer(3))],
  ["an ArrayBuffer", () => new Uint8Array([1, 2]).buffer],
  ["a Blob with a type", () => new Blob(["{}"], { type: "application/json" })],
  ["a Blob without a type", () => new Blob(["{}"])],
  ["an empty Blob", () => new Blob([])],
  ["URLSearchParams", () => new URLSearchParams([["a b", "\u00fc&="]])],
];

const ALL_METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
  "get",
  "post",
  "patch",
  "PROPFIND",
];

/** The comparison cases of `fetch` about the request that the server receives. */
export const FETCH_REQUEST_CASES: readonly FetchComparisonCase[] = [
  ...ALL_METHODS.filter((method) => method !== "HEAD").map((method) =>
    createEchoCase(`the method ${method} without a body`, () => ({ method }), BODY_FIELDS),
  ),
  ...["CONNECT", "TRACE", "TRACK", "trace", "A B", ""].map((method) =>
    createEchoCase(`the method ${JSON.stringify(method)} is refused`, () => ({ method })),
  ),
  ...["GET", "HEAD", "get"].map((method) =>
    createEchoCase(`a body with ${method} is refused`, () => ({ method, body: "x" })),
  ),
  ...BODIES.flatMap(([name, create]) => [
    createEchoCase(`the body of a POST is ${name}`, () => ({ method: "POST", body: create() }), BODY_FIELDS),
    {
      title: `the body of a Request is ${name}`,
      observe: (fetch, { origin }) =>
        awaitOrDescribeError(
          readEchoedRequest(
            fetch(new Request(`${origin}/echo`, { method: "PUT", body: create() })),
            ...BODY_FIELDS,
          ),
        ),
    } satisfies FetchComparisonCase,
  ]),
  createEchoCase(
    "the body is a stream",
    () => ({ method: "POST", body: createStreamFromTexts("a", "", "bc"), duplex: "half" }),
    BODY_FIELDS,
  ),
  createEchoCase("a stream without duplex is refused", () => ({
    method: "POST",
    body: createStreamFromTexts("a"),
  })),
  createEchoCase("the body is null", () => ({ method: "POST", body: null }), BODY_FIELDS),
  createEchoCase("a DELETE has a body", () => ({ method: "DELETE", body: "x" }), BODY_FIELDS),
  createEchoCase(
    "the caller's content type replaces the default",
    () => ({ method: "POST", body: "{}", headers: { "Content-Type": "application/json" } }),
    BODY_FIELDS,
  ),
  {
    title: "a stream that is locked is refused",
    async observe(fetch, { origin }) {
      const body = createStreamFromTexts("a");
      body.getReader();
      return awaitOrDescribeError(fetch(`${origin}/echo`, { method: "POST", body, duplex: "half" }));
    },
  },
  {
    title: "a form is sent as multipart/form-data",
    async observe(fetch, { origin }) {
      const form = new FormData();
      form.append('a"\n', "1\n2");
      form.append("file", new File(["bytes"], 'n"\u00e4.txt', { type: "text/x" }));
      const { headers, body } = await readEchoedRequest(
        fetch(`${origin}/echo`, { method: "POST", body: form }),
        "content-type",
      );
      const [type = ""] = Object.values(headers);
      const boundary = type.slice(type.indexOf("boundary=") + 9);
      return [type.replace(boundary, "B"), body.replaceAll(boundary, "B")];
    },
  },
  {
    title: "a byte array may change after the call",
    async observe(fetch, { origin }) {
      const body = new TextEncoder().encode("before");
      const response = fetch(`${origin}/echo`, { method: "POST", body });
      body.fill(120);
      return (await readEchoedRequest(response)).body;
    },
  },
  {
    title: "fetch uses the body of a Request",
    async observe(fetch, { origin }) {
      const request = new Request(`${origin}/echo`, { method: "POST", body: "x" });
      await (await fetch(request)).text();
      return [request.bodyUsed, await awaitOrDescribeError(fetch(request))];
    },
  },
  {
    title: "init replaces the fields of a Request",
    observe(fetch, { origin }) {
      const request = new Request(`${origin}/echo`, {
        method: "POST",
        body: "x",
        headers: { "x-a": "1", "x-b": "2" },
      });
      return readEchoedRequest(
        fetch(request, { method: "PUT", body: "y", headers: { "x-a": "3" } }),
        "x-a",
        "x-b",
      );
    },
  },
  {
    title: "a Request keeps its body when the body of init is null",
    observe: (fetch, { origin }) =>
      readEchoedRequest(fetch(new Request(`${origin}/echo`, { method: "POST", body: "x" }), { body: null })),
  },
  ...HEADER_FORMS.map(([name, create]) =>
    createEchoCase(`the headers are ${name}`, () => ({ headers: create() }), ["x-a", "x-b"]),
  ),
  ...["a b", "a:", "\u00fc", ""].map((name) =>
    createEchoCase(`the header name ${JSON.stringify(name)} is refused`, () => ({ headers: [[name, "x"]] })),
  ),
  ...["a\nb", "a\0b", "\u0100", "a\rb"].map((value) =>
    createEchoCase(`the header value ${JSON.stringify(value)} is refused`, () => ({
      headers: { "x-a": value },
    })),
  ),
  createEchoCase("a header value of Latin-1 is sent as bytes", () => ({ headers: { "x-a": "caf\u00e9" } }), [
    "x-a",
  ]),
  createEchoCase("an empty header value is sent", () => ({ headers: { "x-a": "" } }), ["x-a"]),
  ...[
    "accept",
    "accept-language",
    "accept-encoding",
    "user-agent",
    "referer",
    "cookie",
    "origin",
    "if-match",
    "if-none-match",
    "range",
    "via",
    "authorization",
    "access-control-request-method",
    "dnt",
    "date",
  ].map((name) =>
    createEchoCase(`the caller sets the header ${name}`, () => ({ headers: { [name]: "bytes=0-1" } }), [
      name,
    ]),
  ),
  ...[
    "content-length",
    "transfer-encoding",
    "host",
    "connection",
    "expect",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
  ].map((name) =>
    createEchoCase(`the caller sets the header ${name}`, () => ({ headers: { [name]: "1" } }), [
      "content-length",
      "transfer-encoding",
      "expect",
      "keep-alive",
      "upgrade",
      "te",
      "trailer",
    ]),
  ),
  ...["default", "no-store", "reload", "no-cache", "force-cache"].map((cache) =>
    createEchoCase(`the option cache is ${cache}`, () => ({ cache }) as RequestInit, [
      "cache-control",
      "pragma",
    ]),
  ),
  createEchoCase(
    "the caller's Cache-Control takes precedence",
    () => ({ cache: "no-store", headers: { "cache-control": "max-age=5" } }),
    ["cache-control", "pragma"],
  ),
  ...["navigate", "odd"].map((mode) =>
    createEchoCase(`the mode ${mode} is refused`, () => ({ mode }) as RequestInit),
  ),
  ...["cors", "no-cors", "same-origin"].map((mode) =>
    createEchoCase(`the mode ${mode}`, () => ({ mode }) as RequestInit),
  ),
  createEchoCase(
    "an unknown value of redirect is refused",
    () => ({ redirect: "odd" }) as unknown as RequestInit,
  ),
  createEchoCase(
    "an unknown value of credentials is refused",
    () => ({ credentials: "odd" }) as unknown as RequestInit,
  ),
  createEchoCase(
    "the cache only-if-cached with the default mode",
    () => ({ cache: "only-if-cached" }) as RequestInit,
  ),
  {
    title: "the case of header names",
    async observe(fetch, { origin }) {
      const response = await fetch(`${origin}/echo`, { headers: { "X-Mixed": "1" } });
      const { headers } = (await response.json()) as { headers: [string, string][] };
      return headers.map(([name]) => name).filter((name) => /^x-mixed$/i.test(name));
    },
  },
  {
    title: "the default header fields of a GET",
    async observe(fetch, { origin }) {
      const { headers } = (await (await fetch(`${origin}/echo`)).json()) as { headers: [string, string][] };
      return headers.map(([name, value]) => (name === "host" ? name : `${name}: ${value}`)).toSorted();
    },
  },
  ...[
    "/echo?a b",
    "/echo?a=%zz",
    "/echo#part",
    "/a/../echo",
    "/./echo",
    "/echo?\u00fc",
    "/echo?a'b",
    '/echo?a"<>',
    "/echo?a[]={|}",
  ].map((path) => createEchoCase(`the path ${path}`, () => ({}), [], path)),
  ...[
    "",
    "no url",
    "/relative",
    "http://",
    "http://a b/",
    "http://u:p@127.0.0.1/",
    "unknown:x",
    "http://127.0.0.1:99999/",
  ].map((url): FetchComparisonCase => ({
    title: `the URL ${JSON.stringify(url)} is refused`,
    observe: (fetch) => awaitOrDescribeError(fetch(url)),
  })),
  ...["http://127.0.0.1:1/", "http://127.0.0.1:25/", "http://127.0.0.1:6000/"].map(
    (url): FetchComparisonCase => ({
      title: `the port of ${url} is refused`,
      observe: (fetch) => awaitOrDescribeError(fetch(url)),
    }),
  ),
  {
    title: "a data URL",
    observe: (fetch) => awaitOrDescribeError(fetch("data:,hello").then((response) => response.text())),
  },
  {
    title: "a blob URL",
    async observe(fetch) {
      const url = URL.createObjectURL(new Blob(["hello"]));
      const outcome = await awaitOrDescribeError(fetch(url).then((response) => response.text()));
      URL.revokeObjectURL(url);
      return outcome;
    },
  },
  {
    title: "an about URL is refused",
    observe: (fetch) => awaitOrDescribeError(fetch("about:blank")),
  },
  createEchoCase(
    "options without effect",
    () => ({ keepalive: true, priority: "high", referrer: "" }) as RequestInit,
  ),
  createEchoCase(
    "members of init that fetch does not know",
    () =>
      ({ baseURL: "http://h.example/", url: "/other", timeout: 1, retryDelay: 0, agent: {} }) as RequestInit,
  ),
  {
    title: "init is null",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(readEchoedRequest(fetch(`${origin}/echo`, null as unknown as RequestInit))),
  },
  ...[5, { a: 1 }].map((body) =>
    createEchoCase(
      `the body is ${typeof body === "number" ? "a number" : "an object"}`,
      () => ({ method: "POST", body }) as unknown as RequestInit,
    ),
  ),
  {
    title: "the body is a stream of strings",
    observe(fetch, { origin }) {
      const body = new Blob(["ab"]).stream().pipeThrough(new TextDecoderStream()) as ReadableStream;
      const init = { method: "POST", body, duplex: "half" } as RequestInit;
      return awaitOrDescribeError(readEchoedRequest(fetch(`${origin}/echo`, init)));
    },
  },
  {
    title: "a backslash after the port",
    observe: (fetch, { origin }) => awaitOrDescribeError(readEchoedRequest(fetch(`${origin}\\echo`))),
  },
  {
    title: "the input is a URL object",
    observe: (fetch, { origin }) => readEchoedRequest(fetch(new URL("/echo?x", origin))),
  },
  {
    title: "the input is an object with a method toString",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        readEchoedRequest(fetch({ toString: () => `${origin}/echo` } as unknown as string)),
      ),
  },
  {
    title: "a URL with surrounding blanks",
    observe: (fetch, { origin }) => awaitOrDescribeError(readEchoedRequest(fetch(` ${origin}/echo\n`))),
  },
];
