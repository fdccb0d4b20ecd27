import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { URL_INJECTION_CASES, percentEncode } from "../../../../test/guard/bytes/url-injection-cases.ts";
import {
  isPortAllowedByDocumentation,
  EXPECTED_SCHEME_PORT_RULES,
  PORT_TEXT_CASES,
} from "../../../../test/guard/destinations/expected-allowed-ports.ts";
import { HOST_NAME_DECISIONS } from "../../../core/test/policy/host-name-decisions.ts";
import {
  NON_PUBLIC_IPV6_ADDRESSES,
  NON_PUBLIC_IPV4_RANGES,
  NON_PUBLIC_IPV6_RANGES_IN_2000_SLASH_3,
} from "../../../core/test/policy/addresses/private-addresses.ts";
import { parseGatewayPath } from "../../src/request/gateway-path.ts";
import {
  ODD_URL_HOST_CASES,
  CREDENTIALS_IN_URL_CASES,
  URL_MARKUP_INJECTION_CASES,
  UNSUPPORTED_SCHEME_CASES,
  ROUND_TRIP_CASES,
} from "./hostile-url-cases.ts";
import {
  SECRET_PASSWORD,
  NO_CONTACTED_SERVERS,
  type OutboundRecordingGateway,
  startOutboundRecordingGateway,
} from "./outbound-recording-gateway.ts";

const PUBLIC_ADDRESS = "8.8.8.8";
let gateway: OutboundRecordingGateway;
let dnsAddresses: readonly string[] = [];
beforeAll(async () => {
  gateway = await startOutboundRecordingGateway(() => dnsAddresses);
});
beforeEach(() => void (dnsAddresses = []));
afterAll(() => gateway[Symbol.asyncDispose]());

describe("the gateway refuses URLs with an address that is not public", () => {
  // The tests of the core package cover all private addresses, so one spelling of an IPv6 address suffices here.
  const hosts = [
    ...NON_PUBLIC_IPV4_RANGES.flatMap(([first, last]) => [
      first,
      last,
      `[::ffff:${first}]`,
      `[64:ff9b::${last}]`,
    ]),
    ...[
      ...NON_PUBLIC_IPV6_RANGES_IN_2000_SLASH_3.flat(),
      ...NON_PUBLIC_IPV6_ADDRESSES.map(([address]) => address),
    ]
      // A host in a URL cannot have an IPv6 zone.
      .filter((address) => !address.includes("%"))
      .map((address) => `[${address}]`),
  ];

  it.each(hosts)("the gateway refuses the private address %s as the host of a URL", async (host) => {
    const answer = await gateway.request(`/http/${host}/`);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("is refused:");
    expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
  });

  const firstAddresses = [
    ...NON_PUBLIC_IPV4_RANGES,
    ...NON_PUBLIC_IPV6_RANGES_IN_2000_SLASH_3,
    ...NON_PUBLIC_IPV6_ADDRESSES,
  ].map(([address]) => address);
  it.each(firstAddresses)("the gateway refuses a host name with the private address %s", async (address) => {
    dnsAddresses = [address];
    expect((await gateway.request("/ftp/h.example/")).status).toBe(403);
    expect(gateway.takeContactedServers()).toEqual({ dnsNames: ["h.example"], destinations: [] });
  });

  it.each([
    [PUBLIC_ADDRESS, "127.0.0.1"],
    ["127.0.0.1", PUBLIC_ADDRESS],
    [PUBLIC_ADDRESS, "::ffff:127.0.0.1"],
    [PUBLIC_ADDRESS, "127.1"],
  ])("the gateway refuses a host name with the addresses %s and %s", async (...both) => {
    dnsAddresses = both;
    expect((await gateway.request("/gopher/h.example/")).status).toBe(403);
    expect(gateway.takeContactedServers()).toEqual({ dnsNames: ["h.example"], destinations: [] });
  });

  it.each([
    "ftp://127.0.0.1/a",
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "gopher://127.0.0.1/1/x",
    "gophers://127.0.0.1/1/x",
    "nntp://127.0.0.1/a.b/1",
    "prospero://127.0.0.1/o",
    "wais://127.0.0.1/d?w",
    "http://localhost/",
    "ftp://[::1]/",
  ])("the gateway refuses the URL %s in every form of request", (url) => gateway.expectUrlRefused(url, 403));

  it("the gateway refuses a URL of the gateway itself", async () => {
    expect((await gateway.request(`/http/127.0.0.1:${gateway.port}/`)).status).toBe(403);
    expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
  });
});

describe("the gateway refuses URLs with a host that is not a public name", () => {
  // The resolver receives the A-label (Punycode) of this host name.
  const rows = HOST_NAME_DECISIONS.filter(
    ([name, underPublic]) => underPublic === "refused" && name !== "bücher.example",
  );
  it.each(rows.map(([name]) => name))(
    "the gateway refuses the host name %j without a DNS lookup",
    async (name) => {
      const { status } = await gateway.request(`/~page?url=${encodeURIComponent(`http://${name}/`)}`);
      expect([400, 403]).toContain(status);
      expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
    },
  );

  it.each(ODD_URL_HOST_CASES)(
    "the gateway refuses the URL %j with an unusual host with the status %i",
    (url, status) => gateway.expectUrlRefused(url, status),
  );

  it("the gateway does not use the text after a '#' as a host", async () => {
    await gateway.requestAllForms("http://h.example#@127.0.0.1/");
    expect(new Set(gateway.takeContactedServers().dnsNames)).toEqual(new Set(["h.example"]));
  });
});

describe("the gateway refuses URLs with a port of another protocol", () => {
  // The table omits news URLs, which name no server, and telnet URLs, which open no connection.
  const schemes = ["ftp", "http", "https", "gopher", "nntp", "wais", "prospero"] as const;
  const ports = [0, 1, 22, 25, 110, 1023, 2049, 6379, 6667, 10_080, 11_211];
  const rows = schemes.flatMap((name) => {
    const row = EXPECTED_SCHEME_PORT_RULES[name] as (typeof EXPECTED_SCHEME_PORT_RULES)[string];
    return ports
      .filter((port) => !isPortAllowedByDocumentation(row, port))
      .map((port) => [row.createUrl(port)] as const);
  });
  it.each(rows)("the gateway refuses the port of the URL %s without a DNS lookup", async (url) => {
    const { status, text } = await gateway.request(`/~page?url=${encodeURIComponent(url)}`);
    expect(status).toBe(403);
    expect(text).toMatch(/role="alert">[^<]*\bport\b/);
    expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
  });

  it.each(["gopher://127.0.0.1:25/1/x", "gopher://h.example:25/1/x", "http://h.example:025/"])(
    "the gateway refuses the port of the URL %s in every form of request",
    (url) => gateway.expectUrlRefused(url, 403),
  );

  it.each(PORT_TEXT_CASES.filter(([, port]) => port === undefined))(
    "the gateway refuses the text %j as a port",
    async (text) => {
      const { status } = await gateway.request(
        `/~page?url=${encodeURIComponent(`http://h.example:${text}/`)}`,
      );
      expect(status).toBe(400);
      expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
    },
  );

  it("the gateway opens no connection for a telnet URL", async () => {
    const { typed } = await gateway.requestAllForms("telnet://127.0.0.1:25/");
    expect(typed?.status).toBe(200);
    expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
  });
});

describe("the gateway sends no control byte of a URL", () => {
  // The test cases omit form values and logins, which the gateway refuses anyway.
  const rows = Object.entries(URL_INJECTION_CASES).filter(
    ([name, { performRequest, requestOptions }]) =>
      !performRequest && !requestOptions && !/ (?:user|password)$/.test(name),
  );
  const urlOf = ([, { createScheme, createUrl }]: (typeof rows)[number], text: string): string =>
    createUrl(text, EXPECTED_SCHEME_PORT_RULES[createScheme(0).name]?.defaultPort ?? 0);

  it.each(rows)(
    "the gateway refuses an escaped control byte in the %s without a DNS lookup, unless the URL may contain the byte",
    async (...row) => {
      const { isRejected, separatorBytes = {} } = row[1];
      for (const byte of [0x00, 0x09, 0x0a, 0x0d, 0x1b]) {
        if (separatorBytes[byte] !== undefined) continue;
        const url = urlOf(row, `${percentEncode(byte)}a`);
        const status = isRejected(byte) ? 400 : 502;
        expect((await gateway.request(`/~page?url=${encodeURIComponent(url)}`)).status, url).toBe(status);
        expect(gateway.takeContactedServers(), url).toEqual(
          status === 400 ? NO_CONTACTED_SERVERS : { dnsNames: ["h.example"], destinations: [] },
        );
      }
    },
  );

  const sent = rows.filter(([, { isRejected }]) => !isRejected(0x0d));
  it.each(sent)(
    "the gateway adds no header field to a response for an escaped CR LF in the %s",
    async (...row) => {
      const url = urlOf(row, "%0D%0AX-Injected:%201%0D%0A");
      for (const { status } of Object.values(await gateway.requestAllForms(url))) expect(status).toBe(502);
      expect(new Set(gateway.takeContactedServers().dnsNames)).toEqual(new Set(["h.example"]));
    },
  );

  // The test cases omit a control byte as the Gopher type. A control byte as the Gopher type would be the last
  // character of the URL, and the parser ignores white space after a URL.
  const inside = rows.filter(([name]) => name !== "gopher type");
  it.each(inside)("the gateway refuses a control byte without an escape in the %s", async (...row) => {
    for (const character of ["\0", "\t", "\r\nX-Injected: 1", "\u001b[2J", "\u0085"]) {
      const { status } = await gateway.request(`/?url=${encodeURIComponent(urlOf(row, `${character}a`))}`);
      expect([character, status]).toEqual([character, 400]);
    }
    expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
  });

  it("the gateway refuses a URL that submits a form which no page of the gateway has posted", () =>
    gateway.expectUrlRefused("gopher://h.example/0/s%09%09+%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A", 400));
});

describe("the gateway refuses URLs with a user name or password", () => {
  it.each(CREDENTIALS_IN_URL_CASES)(
    "the gateway refuses the URL %s with the status %i, without the password in any response",
    async (url, status) => {
      await gateway.expectUrlRefused(url, status);
      await gateway.request(`/~search?url=${encodeURIComponent(url)}&q=x`);
      expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
    },
  );
});

describe("the gateway refuses URLs with an unsupported scheme", () => {
  it.each(UNSUPPORTED_SCHEME_CASES)(
    "the gateway refuses the scheme of the URL %j with the status %i",
    (url, status) => gateway.expectUrlRefused(url, status),
  );
});

describe("the gateway escapes markup and control characters of a URL", () => {
  it.each(URL_MARKUP_INJECTION_CASES)(
    "the gateway refuses the URL %j, which contains markup, with the status %i",
    (url, status) => gateway.expectUrlRefused(url, status),
  );

  it.each([
    ["telnet://%3Cscript%3Ealert(1)%3C%2Fscript%3E@h.example/", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["telnet://%1B%5B2J%E2%80%AEjoe@h.example/", "\\x1b[2J\\u{202e}joe"],
    ["mailto:a@h.example?subject=%3Cimg%20onerror=alert(1)%3E", "subject=%3Cimg%20onerror=alert(1)%3E"],
    ["mailto:'onmouseover='alert@h.example", "&#39;onmouseover=&#39;alert@h.example"],
  ])("the gateway shows the URL %s escaped", async (url, text) => {
    const { typed, query } = await gateway.requestAllForms(url);
    for (const answer of [typed, query]) {
      expect(answer?.status).toBe(200);
      expect(answer?.text).toContain(text);
    }
    expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
  });
});

describe("the gateway interprets a URL as the sender of the request does", () => {
  it.each(ROUND_TRIP_CASES.map(([url, formatted = url]) => [url, formatted] as const))(
    "the gateway contacts only h.example for the URL %j in every form of request",
    async (url, formatted) => {
      const { headers } = await gateway.request(`/?url=${encodeURIComponent(url)}`);
      const target = new URL(String(headers["location"]), gateway.origin);
      expect(parseGatewayPath(target.href.slice(gateway.origin.length))?.url).toBe(formatted);
      for (const { status } of Object.values(await gateway.requestAllForms(url))) expect(status).toBe(502);
      expect(new Set(gateway.takeContactedServers().dnsNames)).toEqual(new Set(["h.example"]));
    },
  );
});

describe("the gateway rejects an invalid request target", () => {
  it.each<[target: string, status: number]>([
    ["//127.0.0.1/", 404],
    ["//evil.example/%2e%2e", 404],
    ["/\\127.0.0.1/", 404],
    ["/~raw/~raw/http/127.0.0.1/", 404],
    ["/http//127.0.0.1/", 400],
    ["/http/127.0.0.1", 403],
    ["/http/127.0.0.1\\@h.example/", 400],
    ["/http/u:PASSWORD@h.example/", 403],
    ["/ftp/u:PASSWORD@h.example/", 403],
    ["/~download/ftp/u:PASSWORD@h.example/", 403],
    ["/~raw?url=ftp://u:PASSWORD@h.example/", 403],
    ["/?url=ftp://u:PASSWORD@h.example/&url=http://h.example/", 403],
    ["/?x=1&url=http://127.0.0.1/", 303],
    ["/~search?url=ftp://u:PASSWORD@h.example/&q=x", 403],
    ["/~search?url=gopher://h.example/7/s&q=x%0D%0AX-Injected:%201", 303],
    ["/%2e%2e/%2e%2e/etc/passwd", 404],
    ["/file//etc/passwd", 404],
    ["/~raw/file/localhost/etc/passwd", 404],
    ["/~style.css/../etc/passwd", 404],
    ["http://127.0.0.1:PORT@h.example/", 403],
    ["http://127.0.0.1:PORT.h.example/", 400],
    ["HTTP://127.0.0.1:PORT/", 403],
    ["http://127.0.0.2:PORT/", 403],
    ["ftp://u:PASSWORD@h.example/", 403],
    ["gopher://127.0.0.1:25/1/x", 403],
  ])("the gateway responds to the request target %s with the status %i", async (target, status) => {
    const text = target.replace("PORT", String(gateway.port)).replace("PASSWORD", SECRET_PASSWORD);
    expect((await gateway.request(text)).status).toBe(status);
    expect(gateway.takeContactedServers()).toEqual(NO_CONTACTED_SERVERS);
  });

  it.each<[head: string, status: number]>([
    ["GET /gopher/h.example/1a\rX-Injected: 1 HTTP/1.1", 400],
    ["GET /gopher/h.example/1\0 HTTP/1.1", 400],
    ["GET /gopher/h.example/1 a HTTP/1.1", 400],
    ["CONNECT 127.0.0.1:25 HTTP/1.1", 405],
    ["GET javascript:alert(1) HTTP/1.1", 400],
  ])("the gateway responds to the request line %j with the status %i", async (head, status) => {
    const socket = connect(gateway.port, "127.0.0.1");
    socket.end(`${head}\r\nHost: 127.0.0.1:${gateway.port}\r\nConnection: close\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(answer.toString("latin1")).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(gateway.takeContactedServers().dnsNames).toEqual([]);
  });
});
