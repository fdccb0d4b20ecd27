import {
  createResponsePropertiesCase,
  createStreamFromTexts,
  describeErrorForComparison,
  readEchoedRequest,
  type FetchComparisonCase,
  awaitOrDescribeError,
} from "./fetch-comparison-case.ts";

const FIELDS = ["content-type", "content-length", "content-language", "x-a"];

/** Returns the path of the test server that redirects to a location. */
const redirectPath = (status: number, location: string): string =>
  `/status?code=${status}&location=${encodeURIComponent(location)}`;

/** The comparison cases about redirects that `fetch` follows or refuses. */
export const FETCH_REDIRECT_CASES: readonly FetchComparisonCase[] = [
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].map((method): FetchComparisonCase => ({
      title: `status ${status} after ${method}`,
      async observe(fetch, { origin }) {
        const hasBody = method !== "GET" && method !== "HEAD";
        const headers = { "content-language": "en", "x-a": "1" };
        const response = await fetch(`${origin}${redirectPath(status, "/echo")}`, {
          method,
          headers,
          ...(hasBody && { body: "hello" }),
        });
        const { redirected, url } = response;
        const request =
          method === "HEAD" ? undefined : await readEchoedRequest(Promise.resolve(response), ...FIELDS);
        return [response.status, redirected, url.replace(origin, ""), request];
      },
    })),
  ),
  ...[301, 302, 303, 307, 308].map((status): FetchComparisonCase => ({
    title: `status ${status} after a POST with a stream`,
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        readEchoedRequest(
          fetch(`${origin}${redirectPath(status, "/echo")}`, {
            method: "POST",
            body: createStreamFromTexts("hello"),
            duplex: "half",
          }),
        ),
      ),
  })),
  ...[300, 304, 305, 306].map((status) =>
    createResponsePropertiesCase(
      `status ${status} with a Location is no redirect`,
      redirectPath(status, "/text"),
    ),
  ),
  ...[301, 302, 303, 307, 308].map((code) =>
    createResponsePropertiesCase(`status ${code} without a Location`, `/status?code=${code}&body=x`),
  ),
  ...(["error", "manual"] as const).flatMap((redirect) =>
    [302, 307].map((status) =>
      createResponsePropertiesCase(
        `status ${status} with the option redirect ${redirect}`,
        redirectPath(status, "/text"),
        () => ({
          redirect,
        }),
      ),
    ),
  ),
  {
    title: "the option redirect manual shows the Location",
    observe: async (fetch, { origin }) =>
      (await fetch(`${origin}${redirectPath(302, "/text")}`, { redirect: "manual" })).headers.get("location"),
  },
  ...[
    "/text",
    "text",
    "?code=200",
    "//127.0.0.1:PORT/text",
    "/a/../text",
    "/text#part",
    "",
    "/echo?a b",
    "/echo?\u00fc",
    "/echo?%C3%BC",
    "/echo?<>",
  ].map((location): FetchComparisonCase => ({
    title: `the Location ${JSON.stringify(location)}`,
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        fetch(`${origin}${redirectPath(302, location.replace("PORT", new URL(origin).port))}`).then(
          async (response) => [
            response.status,
            response.url.replace(origin, ""),
            await response.text().then((text) => /"url":"[^"]*"/.exec(text)?.[0]),
          ],
        ),
      ),
  })),
  ...[
    "data:,x",
    "mailto:a@b",
    "file:///etc/passwd",
    "javascript:x",
    "about:blank",
    "http://",
    "http://u:p@127.0.0.1/",
  ].map((location) =>
    createResponsePropertiesCase(`the Location ${location} is refused`, redirectPath(302, location)),
  ),
  createResponsePropertiesCase("a redirect to another origin", `/status?code=302&location=OTHER/text`),
  createResponsePropertiesCase(
    "a redirect to another origin with the mode same-origin",
    `/status?code=302&location=OTHER/text`,
    () => ({
      mode: "same-origin",
    }),
  ),
  ...[
    "authorization",
    "cookie",
    "proxy-authorization",
    "x-a",
    "accept",
    "accept-language",
    "user-agent",
    "content-language",
    "range",
    "if-none-match",
  ].map((name): FetchComparisonCase => ({
    title: `the header ${name} after a redirect to another origin`,
    observe: (fetch, { origin, otherOrigin }) =>
      awaitOrDescribeError(
        readEchoedRequest(
          fetch(`${origin}${redirectPath(302, `${otherOrigin}/echo`)}`, { headers: { [name]: "v" } }),
          name,
        ),
      ),
  })),
  {
    title: "the header authorization after a redirect to the same origin",
    observe: (fetch, { origin }) =>
      readEchoedRequest(
        fetch(`${origin}${redirectPath(302, "/echo")}`, { headers: { authorization: "v" } }),
        "authorization",
      ),
  },
  {
    title: "the body after a redirect to another origin",
    observe: (fetch, { origin, otherOrigin }) =>
      readEchoedRequest(
        fetch(`${origin}${redirectPath(307, `${otherOrigin}/echo`)}`, { method: "POST", body: "hello" }),
        ...FIELDS,
      ),
  },
  {
    title: "a form after status 307",
    async observe(fetch, { origin }) {
      const form = new FormData();
      form.append("a", "1");
      const { body } = await readEchoedRequest(
        fetch(`${origin}${redirectPath(307, "/echo")}`, { method: "POST", body: form }),
      );
      return body.includes("\r\n\r\n1\r\n");
    },
  },
  {
    title: "a Request with a string after status 307",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(
        readEchoedRequest(
          fetch(new Request(`${origin}${redirectPath(307, "/echo")}`, { method: "POST", body: "hello" })),
        ),
      ),
  },
  ...[5, 6, 20, 21].map((left) => createResponsePropertiesCase(`${left} redirects`, `/count?left=${left}`)),
  {
    title: "a POST that redirects to a GET of its own URL",
    async observe(fetch, { origin }) {
      // The server redirects every request for this URL to the URL itself, so the GET request is redirected in a loop.
      return describeErrorForComparison(
        await fetch(`${origin}${redirectPath(303, "")}`, { method: "POST" }).catch((error: unknown) => error),
      );
    },
  },
];
