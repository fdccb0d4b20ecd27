import { describe, expect, it } from "vitest";
import { parseIpAddress, findRefusedBlockName, isSameAddress } from "../../../src/policy/ip-address.ts";

describe("texts that are no IP address", () => {
  it.each([
    ..."1,2.3.4 1.2,3.4 1.2.3:4 1..2.3 .1.2.3 1.2.3. 1.2.3.4. 1.2.3.4.5 1.2.3 1.2.3.4x 1.2.3.a x.2.3.4 1.2.3.-4".split(
      " ",
    ),
    ..."01.2.3.4 00.0.0.0 1.2.3.04 256.1.1.1 1.2.3.256 1.2.3.4%eth0 %::1 ::1% ::1%e%f ::1%e_f fe80::1%eth0/64".split(
      " ",
    ),
    ..."1::2::3 ::1.2.3.4.5 ::1.2.3 ::1.2.3.256 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7 1:2:3:4:5:6:7::8 ::12345 ::g :::".split(
      " ",
    ),
    ..."1:2:3:4:5:6:7:1.2.3.4 1:2:3:4:5:6:7:8::1.2.3.4".split(" "),
    "",
    "\n::1.2.3.4",
    " 1.2.3.4",
    "1.2.3.4 ",
    "1.2.3.4\n",
    "a\n::1%eth0",
    "::1%eth 0",
  ])("parseIpAddress parses no IP address from %j", (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  });
});

describe("an IP address is refused with a reason", () => {
  it.each([
    ["::1", "loopback"],
    ["::", "outside 2000::/3"],
    ["::2", "outside 2000::/3"],
    ["1::1", "outside 2000::/3"],
    ["fe80::1%eth0", "outside 2000::/3"],
    ["::ffff:127.0.0.1", "loopback"],
    ["2606:4700::1", undefined],
  ])("findRefusedBlockName of the address %s returns the reason %s", (text, why) => {
    expect(findRefusedBlockName(parseIpAddress(text) ?? new Uint8Array(0))).toBe(why);
  });
});

it("isSameAddress distinguishes an IPv4 address from an IPv6 address that begins with the same bytes", () => {
  expect(isSameAddress("32.1.13.184", "2001:db8::")).toBe(false);
  expect(isSameAddress("2001:db8::", "32.1.13.184")).toBe(false);
  expect(isSameAddress("::ffff:1.2.3.4", "1.2.3.4")).toBe(true);
});
