import { describe, expect, it } from "vitest";
import { nameRefusal } from "../../src/guard/names.ts";
import { publicInternet, trusted } from "../../src/guard/policy.ts";

const label63 = "a".repeat(63);

describe("nameRefusal", () => {
  const rows: readonly (readonly [
    name: string,
    underPublic: "refused" | "allowed",
    underTrusted: "refused" | "allowed",
  ])[] = [
    ["www.w3.org", "allowed", "allowed"],
    ["WWW.W3.ORG.", "allowed", "allowed"],
    ["my_host.example.com", "allowed", "allowed"],
    ["xn--bcher-kva.example", "allowed", "allowed"],
    ["localhost.example.com", "allowed", "allowed"],
    ["notlocal.com", "allowed", "allowed"],
    ["a.localdomain", "allowed", "allowed"],
    // RFC 6761, RFC 6762, RFC 7686, RFC 8375
    ["localhost", "refused", "allowed"],
    ["LOCALHOST.", "refused", "allowed"],
    ["a.localhost", "refused", "allowed"],
    ["a.b.LocalHost.", "refused", "allowed"],
    ["printer.local", "refused", "allowed"],
    ["metadata.google.internal", "refused", "allowed"],
    ["1.0.0.127.in-addr.arpa", "refused", "allowed"],
    ["nas.home.arpa", "refused", "allowed"],
    ["facebookcorewwwi.onion", "refused", "allowed"],
    ["intranet", "refused", "allowed"],
    ["intranet.", "refused", "allowed"],
    // RFC 1035 §2.3.4
    [`${label63}.example`, "allowed", "allowed"],
    [`${label63}a.example`, "refused", "refused"],
    [`${"a.".repeat(126)}bcd`, "allowed", "allowed"],
    [`${"a.".repeat(127)}bc`, "refused", "refused"],
    // no name of RFC 1738 §3.1: some resolvers read an address in these
    ["127.1", "refused", "refused"],
    ["0x7f.1", "refused", "refused"],
    ["0x7f000001", "refused", "refused"],
    ["2130706433", "refused", "refused"],
    ["017700000001", "refused", "refused"],
    ["1.2.3.4.5", "refused", "refused"],
    ["1.2.3.4.", "refused", "refused"],
    ["a.1", "refused", "refused"],
    ["①②⑦.0.0.1", "refused", "refused"],
    ["１２７.０.０.１", "refused", "refused"],
    ["127。0。0。1", "refused", "refused"],
    ["bücher.example", "refused", "refused"],
    ["a..b", "refused", "refused"],
    ["", "refused", "refused"],
    [".", "refused", "refused"],
    ["a b.example", "refused", "refused"],
    ["a\0.example", "refused", "refused"],
    ["8.8.8.8%x", "refused", "refused"],
    ["[::1]", "refused", "refused"],
  ];
  it.each(rows)("%j is %s, and %s by trusted()", (name, underPublic, underTrusted) => {
    expect(nameRefusal(name, publicInternet()) === undefined).toBe(underPublic === "allowed");
    expect(nameRefusal(name, trusted()) === undefined).toBe(underTrusted === "allowed");
  });
});
