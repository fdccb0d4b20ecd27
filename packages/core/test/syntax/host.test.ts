import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toAsciiHostName, isHost, isDottedDecimalAddress } from "../../src/syntax/host.ts";
import { parseToFaultOrDeviationCodes, sampleSyntax } from "./sample-syntax.ts";

const label63 = "a".repeat(63);
const label64 = "a".repeat(64);
const name256 = `${"a.".repeat(127)}bc`;

describe("the parsing of hosts in both modes", () => {
  const rows: readonly (readonly [host: string, rfc1738: string, modern: string])[] = [
    // Hosts that conform to RFC 1738 §3.1 and §5: domain names, or four decimal numbers.
    ["www.w3.org", "ok", "ok"],
    ["a", "ok", "ok"],
    ["A-1.B", "ok", "ok"],
    ["3com.com", "ok", "ok"],
    ["1.2.3.a4", "ok", "ok"],
    ["xn--nxasmq6b.example", "ok", "ok"],
    ["XN--nxasmq6b.example", "ok", "ok"],
    ["xn--a.example", "ok", "bad-a-label"],
    ["www.xn--0.example", "ok", "bad-a-label"],
    ["a--b.example", "ok", "ok"],
    ["128.100.1.1", "ok", "ok"],
    ["0.0.0.0", "ok", "ok"],
    ["255.255.255.255", "ok", "ok"],
    [`${label63}.example`, "ok", "ok"],
    [`${label64}.example`, "ok", "ok"],
    [name256, "ok", "ok"],
    // Numbers that are no IPv4 address of RFC 1738. Some resolvers read `127.1` and `0x7f.1` as an address.
    ["1.2.3.4.5", "bad-host-number", "bad-host-number"],
    ["1.2.3.4a", "bad-host-number", "bad-host-number"],
    ["0x7f.1", "bad-host-number", "bad-host-number"],
    ["127.1", "bad-host-number", "bad-host-number"],
    ["0x7f000001", "bad-host-number", "bad-host-number"],
    ["2130706433", "bad-host-number", "bad-host-number"],
    ["256.1.1.1", "bad-host-number", "bad-host-number"],
    ["01.2.3.4", "bad-host-number", "bad-host-number"],
    ["1.2.3.00", "bad-host-number", "bad-host-number"],
    ["1.2.3.4.", "bad-host-number", "bad-host-number"],
    ["1.2.3.99999999999999999999", "bad-host-number", "bad-host-number"],
    ["example.1a", "bad-host-number", "bad-host-number"],
    ["①②⑦.0.0.1", "bad-host", "bad-host"],
    ["１２７.０.０.１", "bad-host", "bad-host"],
    // Hosts in forms of other standards.
    ["example.com.", "host-form", "ok, but host-form"],
    ["my_host.example", "host-form", "ok, but host-form"],
    ["_", "host-form", "ok, but host-form"],
    ["[::1]", "host-form", "ok, but host-form"],
    ["[2001:DB8::1]", "host-form", "ok, but host-form"],
    ["[::ffff:127.0.0.1]", "host-form", "ok, but host-form"],
    ["[::1%25eth0]", "zone-id", "zone-id"],
    ["[fe80::1%eth0]", "zone-id", "zone-id"],
    ["[fe80::1%25en1%2F]", "zone-id", "zone-id"],
    ["[fe80::1%]", "zone-id", "zone-id"],
    ["[%31::1]", "zone-id", "zone-id"],
    ["[::1", "bad-host", "bad-host"],
    ["[]", "bad-host", "bad-host"],
    ["[v1.x]", "bad-host", "bad-host"],
    ["[1::2::3]", "bad-host", "bad-host"],
    ["[1.2.3.4]", "bad-host-number", "bad-host-number"],
    ["[::1]x", "bad-host", "bad-host"],
    // Host names with non-ASCII characters.
    ["ünïcode.example", "host-form", "ok, but host-form"],
    ["ÜNÏCODE.EXAMPLE", "host-form", "ok, but host-form"],
    ["例え.example", "host-form", "ok, but host-form"],
    ["faß.de", "host-form", "ok, but host-form"],
    ["βόλος.com", "host-form", "ok, but host-form"],
    ["ΒΌΛΟΣ.com", "host-form", "ok, but host-form"],
    ["a\u200Db.example", "bad-host", "bad-host"],
    ["ﬁü.example", "bad-host", "bad-host"],
    ["\u212Aü.example", "bad-host", "bad-host"],
    ["a\u00ADü.example", "bad-host", "bad-host"],
    ["ü\u3002example", "bad-host", "bad-host"],
    ["ü_.example", "bad-host", "bad-host"],
    ["\u0085.example", "bad-host", "bad-host"],
    ["\uD800.example", "bad-host", "bad-host"],
    // Texts that are no hosts of RFC 1738.
    ["", "empty-host", "empty-host"],
    ["%65xample.com", "escape-in-host", "escape-in-host"],
    ["ex%", "escape-in-host", "escape-in-host"],
    ["-a.example", "host-form", "ok, but host-form"],
    ["a-.example", "host-form", "ok, but host-form"],
    ["a.b-", "host-form", "ok, but host-form"],
    ["a..b", "bad-host", "bad-host"],
    [".a", "bad-host", "bad-host"],
    ["a..", "bad-host", "bad-host"],
    [".", "bad-host", "bad-host"],
    ["a b", "bad-host", "bad-host"],
    ["a\tb", "bad-host", "bad-host"],
    ["a\\b", "bad-host", "bad-host"],
    ["a~b", "bad-host", "bad-host"],
    ["a*b", "bad-host", "bad-host"],
  ];
  it.each(rows)(
    "the host %j gives the result %s in the mode rfc1738, and %s in modern mode",
    (host, rfc1738, modern) => {
      expect(parseToFaultOrDeviationCodes(`x-sample://${host}/`, "rfc1738")).toBe(rfc1738);
      expect(parseToFaultOrDeviationCodes(`x-sample://${host}/`, "modern")).toBe(modern);
      expect(parseToFaultOrDeviationCodes(`x-sample://${host}:80`, "modern")).toBe(modern);
      expect(isHost(host)).toBe(rfc1738 === "ok");
    },
  );
});

describe("the offset of a host fault", () => {
  it.each([
    ["x-sample://u:p@a*b/", 16, 1],
    ["x-sample://a%41/", 12, 1],
    ["x-sample://1.2.3/", 11, 5],
    ["x-sample:///", 11, 0],
  ])("tryParse reports the host fault of %s at the offset %i with the length %i", (text, index, length) => {
    expect(sampleSyntax.tryParse(text).fault).toMatchObject({ index, length, section: "3.1" });
  });
});

describe("the suggestion in the fault of a host", () => {
  it.each([
    ["x-sample:///", "write the name of a host"],
    ["x-sample://a%41/", "write the character itself"],
    ["x-sample://Bücher.Example/", 'write "xn--bcher-kva.example"'],
    ["x-sample://Bücher.Example./", 'write "xn--bcher-kva.example."'],
    ["x-sample://①.example/", 'write "1.example" if you mean that'],
    ["x-sample://[::1]/", "write a name: RFC 1738 has no IPv6 addresses"],
    ["x-sample://1.2.3/", "write the address as four decimal numbers"],
    ["x-sample://1.2.3.4./", "write the address as four decimal numbers"],
    ["x-sample://Example.com./", 'write "Example.com", unless a search list would change it'],
    ["x-sample://my_host/", "write a name without '_' and without '-' at the end of a label"],
    ["x-sample://-a/", "write a name without '_' and without '-' at the end of a label"],
    ["x-sample://a../", "write letters, digits and inner '-' between dots"],
  ])("the fault of %s has the suggestion: %s", (text, suggestion) => {
    expect(sampleSyntax.tryParse(text, { mode: "rfc1738" }).fault?.suggestion).toBe(suggestion);
  });
});

describe("the host for resolvers, and the formatted host", () => {
  it.each([
    ["WWW.W3.org", "www.w3.org", "WWW.W3.org"],
    ["Example.COM.", "example.com.", "Example.COM."],
    ["Bücher.Example.", "xn--bcher-kva.example.", "xn--bcher-kva.example."],
    ["[::FFFF:1.2.3.4]", "::ffff:102:304", "[::FFFF:1.2.3.4]"],
    ["[2001:DB8:0:0:0::1]", "2001:db8::1", "[2001:DB8:0:0:0::1]"],
    ["ünïcode.example", "xn--ncode-cta3g.example", "xn--ncode-cta3g.example"],
    // UTS 46 never maps an upper-case sigma to a final sigma.
    ["ΒΌΛΟΣ.com", "xn--nxasmq6b.com", "xn--nxasmq6b.com"],
    ["Bücher.Example", "xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["my_host.example", "my_host.example", "my_host.example"],
  ])("the host %s has the effectiveHost %s, and format writes it as %s", (host, effective, written) => {
    const url = sampleSyntax.parse(`x-sample://${host}/`);
    expect(url.host).toBe(host);
    expect(url.effectiveHost).toBe(effective);
    expect(sampleSyntax.format(url)).toBe(`x-sample://${written}/`);
  });

  it("toAsciiHostName agrees with the platform's URL class about non-ASCII names", () => {
    const letters = fc.string({
      unit: fc.constantFrom(...Array.from("aüñø中日한אπ-1")),
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(letters, (label) => {
        const name = toAsciiHostName(`${label}.example`);
        if (name !== undefined) expect(name).toBe(new URL(`http://${label}.example/`).hostname);
      }),
      { seed: 1738 },
    );
  });
});

describe("isDottedDecimalAddress", () => {
  it("isDottedDecimalAddress accepts exactly the numbers from 0 to 255 in a group", () => {
    for (let group = 0; group < 300; group++) {
      expect(isDottedDecimalAddress(`1.2.3.${group}`)).toBe(group < 256);
      expect(isDottedDecimalAddress(`${group}.2.3.4`)).toBe(group < 256);
      expect(isDottedDecimalAddress(`1.0${group}.3.4`)).toBe(false);
    }
  });
});
