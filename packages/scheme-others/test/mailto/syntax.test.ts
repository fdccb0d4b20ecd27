import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";
import { mailtoSyntax } from "@anyscheme/scheme-others/mailto/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineSyntaxTests } from "../define-syntax-tests.ts";
import { createComponentArbitrary, bytesArbitrary } from "../url-arbitraries.ts";

// RFC 1738 §3.5, §5: mailtourl = "mailto:" encoded822addr, encoded822addr = 1*xchar
defineSyntaxTests({
  syntax: mailtoSyntax,
  conforming: [
    ["mailto:timbl@info.cern.ch", { address: "timbl@info.cern.ch" }],
    // §3.5: "the percent sign ("%") is commonly used within RFC 822 addresses and must be encoded"
    ["mailto:user%25host@gateway.dom", { address: "user%25host@gateway.dom" }],
    // "Within mailto URLs, there are no reserved characters."
    ["mailto:;/?:@&=", { address: ";/?:@&=" }],
    ["mailto:a@b?subject=x&body=y", { address: "a@b?subject=x&body=y" }],
    ["mailto://user:secret@host/", { address: "//user:secret@host/" }],
    ["mailto:%22a%20b%22@h", { address: "%22a%20b%22@h" }],
    ["mailto:%0D%0A", { address: "%0D%0A" }],
    ["MailTo:a", { address: "a" }],
  ],
  rejected: [
    ["mailto:", "empty-address", 7, 0],
    ["mailto:user%host@gateway.dom", "bad-escape", 11, 3],
    ["mailto:a@b%2", "bad-escape", 10, 2],
    ["mailto:a b", "space", 8, 1],
    ["mailto:<a@b>", "delimiter", 7, 1],
    ['mailto:"a b"@h', "delimiter", 7, 1],
    ["mailto:a\\@b", "backslash", 8, 1],
    ["mailto:a@b\r\nBcc:c@d", "control", 10, 1],
    ["mailto:\ud800@b", "lone-surrogate", 7, 1],
    ["mailbox:a@b", "wrong-scheme", 0, 7],
    ["a@b", "missing-scheme", 0, 0],
  ],
  acceptedWithDeviations: [
    ["mailto:a~b@h", ["unsafe"], "mailto:a%7Eb@h", { address: "a~b@h" }],
    ["mailto:é@h", ["non-ascii"], "mailto:%C3%A9@h", { address: "é@h" }],
    ["mailto:a@[10.0.0.1]", ["unsafe", "unsafe"], "mailto:a@%5B10.0.0.1%5D", { address: "a@[10.0.0.1]" }],
    ["mailto:a@b#top", ["fragment"], "mailto:a@b", { address: "a@b" }],
    ["mailto:a@b?body={x}", ["unsafe", "unsafe"], "mailto:a@b?body=%7Bx%7D", { address: "a@b?body={x}" }],
    [
      "mailto:a@b?subject=1 %",
      ["space", "bad-escape"],
      "mailto:a@b?subject=1%20%25",
      { address: "a@b?subject=1 %" },
    ],
    [
      'mailto:a@b?body="<x>"',
      ["delimiter", "delimiter", "delimiter", "delimiter"],
      "mailto:a@b?body=%22%3Cx%3E%22",
      { address: 'a@b?body="<x>"' },
    ],
  ],
  acceptedWithoutConformingForm: [],
  builtFromParts: [
    [{ address: "timbl@info.cern.ch" }, "mailto:timbl@info.cern.ch"],
    [{ address: "user%host@gateway.dom" }, "mailto:user%25host@gateway.dom"],
    [{ address: "a?subject=x&y@h" }, "mailto:a%3Fsubject%3Dx%26y@h"],
    [{ address: '"a,b/c"@h' }, "mailto:%22a%2Cb%2Fc%22@h"],
    [{ address: "bücher@h" }, "mailto:b%C3%BCcher@h"],
    [{ address: Uint8Array.of(0xff, 0x40) }, "mailto:%FF@"],
  ],
  invalidParts: [[{ address: "" }, "empty-address"]],
  generatedTexts: createComponentArbitrary(";/?:@&=", 24)
    .filter((address) => address !== "")
    .map((address) => `mailto:${address}`),
});

describe("addresses of mailto URLs", () => {
  const addresses: [address: string, fault: number | undefined][] = [
    ["timbl@info.cern.ch", undefined],
    ["user%25host@gateway.dom", undefined],
    ["a.b@h", undefined],
    ["a", 1],
    ["", 0],
    ["@h", 0],
    ["a@", 2],
    ["a..b@h", 2],
    [".a@h", 0],
    ["a.@h", 2],
    ["a@h.", 4],
    ["a@h,b@i", 3],
    ["a@h@i", 3],
    // RFC 822 §6.1: word = atom / quoted-string
    ["%22a%20b%22@h", undefined],
    ["%22a%5C%22b%22.c@h", undefined],
    ["%22%22@h", undefined],
    ["%22a@h", 0],
    ["%22a%0Db%22@h", 0],
    ["%22a%0D%0A%20b%22@h", undefined],
    ["%22%C3%A9%22@h", 0],
    // sub-domain = domain-ref / domain-literal
    ["a@%5B10.0.0.1%5D", undefined],
    ["a@%5B10.0.0.1%5D.x", undefined],
    ["a@%5B%5D", undefined],
    ["a@%5B%5B%5D", 2],
    ["a@%5B%5C%5D%5D", undefined],
    // atom = 1*<any CHAR except specials, SPACE and CTLs>
    ["!%23$%25&'*+-/=?%5E_%60%7B%7C%7D%7E@h", undefined],
    ["a%20@h", 1],
    ["a@%20h", 2],
    ["a(x)@h", 1],
    ["a%00b@h", 1],
    ["a%7Fb@h", 1],
    ["a%80b@h", 1],
    ["A%3Ca@h%3E", 1],
    ["a@h?subject=x", undefined],
    ["a@h?subject=x%20y", 13],
  ];

  it.each(addresses.filter(([address]) => address !== ""))(
    "the parser reports the first fault of the mail address %s at the index %s",
    (address, index) => {
      const { addressFault } = mailtoSyntax.parse(`mailto:${address}`, { mode: "rfc1738" });
      expect(addressFault?.index).toBe(index);
      if (addressFault) expect(addressFault.reason).toMatch(/^[^A-Z].*[^.]$/);
    },
  );

  it("the fault of an address with any bytes lies within the address, and an address without a fault has an '@'", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (address) => {
        const { href } = mailtoSyntax.build({ address });
        for (const mode of ["rfc1738", "modern"] as const) {
          const { addressFault } = mailtoSyntax.parse(href, { mode });
          if (addressFault) expect(addressFault.index).toBeLessThanOrEqual(address.length);
          else expect(address).toContain(0x40);
        }
      }),
    );
  });

  // RFC 6068 §2
  it.each<[address: string, fault: number | undefined]>([
    ["a@h,b@i", undefined],
    ["?to=a@h", undefined],
    ["?subject=x", undefined],
    ["a@h?subject=x%20y", undefined],
    ["%C3%A9@%C3%A9", undefined],
    ["%22%C3%A9%22@h", undefined],
    ["a@h,b", 5],
    ["a@h?to=b@", 9],
    ["a@h?to=b@i,%20c", 13],
    ["a@h?%74o=b@", 9],
    ["a@h?subject=b&&to=b", 19],
    ["a%80b@h", 1],
    ["x?b", 1],
  ])("modern mode reports the first fault of the addresses in %s at the index %s", (address, index) => {
    expect(mailtoSyntax.parse(`mailto:${address}`).addressFault?.index).toBe(index);
  });

  // Quadratic work exceeds the time limit of a test.
  it("modern mode checks 50,000 header fields `to` in linear time", () => {
    const fields = Array.from({ length: 50_000 }, (_, index) => `to=${index}@h`);
    const url = mailtoSyntax.parse(`mailto:?${fields.join("&")}`, { maxLength: 1_000_000 });
    expect(url.addressFault).toBeUndefined();
  });

  it("the parser returns the text after the first '?' as header fields (RFC 6068)", () => {
    const headers = (text: string) => mailtoSyntax.parse(text).headers;
    expect(headers("mailto:a@b")).toBeUndefined();
    expect(headers("mailto:a%3Fb@h")).toBeUndefined();
    expect(headers("mailto:a@b?")).toEqual([]);
    expect(headers("mailto:?to=a@b&subject=a%20b=c&&body=&x#y")).toEqual([
      ["to", "a@b"],
      ["subject", "a%20b=c"],
      ["body", ""],
      ["x", undefined],
    ]);
    expect(Object.isFrozen(headers("mailto:a?b=c")?.[0])).toBe(true);
  });

  it("build creates a mailto URL from any bytes, and the URL parses to the same address", () => {
    fc.assert(
      fc.property(
        bytesArbitrary.filter((address) => address.length > 0),
        (address) => {
          const url = mailtoSyntax.build({ address });
          expect(percentDecode(url.address)).toEqual(address);
          expect(url.headers).toBeUndefined();
          expect(url.address).not.toMatch(/[,/;&=]/);
        },
      ),
    );
    expect(percentDecodeText(mailtoSyntax.build({ address: "grüße@h" }).address)).toBe("grüße@h");
  });
});
