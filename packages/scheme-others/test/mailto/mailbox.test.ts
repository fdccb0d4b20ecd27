import { createClient, type MailboxResource } from "@anyscheme/core";
import { mailto, mailtoSyntax } from "@anyscheme/scheme-others/mailto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const mailtoClient = createClient({
  schemes: [mailto()],
  resolver: () => expect.unreachable("a name is looked up"),
});
const fetchMailbox = (text: string): Promise<MailboxResource> =>
  mailtoClient.dereference(`mailto:${text}`, {});

describe("a mailto URL designates a mailbox", () => {
  const rows: [text: string, address: string, localPart: string, domain: string][] = [
    ["timbl@info.cern.ch", "timbl@info.cern.ch", "timbl", "info.cern.ch"],
    // RFC 1738 §3.5: "the percent sign ("%") is commonly used within RFC 822 addresses and must be encoded"
    ["user%25host@gateway.dom", "user%host@gateway.dom", "user%host", "gateway.dom"],
    ["first.last@h", "first.last@h", "first.last", "h"],
    // RFC 822 §6.2.4: quotes and backslashes are not part of the local part that they quote.
    ["%22a%20b%22@h", '"a b"@h', "a b", "h"],
    ["%22%22@h", '""@h', "", "h"],
    ["%22a@b%22@h", '"a@b"@h', "a@b", "h"],
    ["%22a%5C%22b%22.c@h", '"a\\"b".c@h', 'a"b.c', "h"],
    ["a@%5B10.0.0.1%5D", "a@[10.0.0.1]", "a", "[10.0.0.1]"],
    ["a@%5Bx@y%5D", "a@[x@y]", "a", "[x@y]"],
    // "Within mailto URLs, there are no reserved characters."
    ["a/b&c=d@h", "a/b&c=d@h", "a/b&c=d", "h"],
    ["who?@h", "who?@h", "who?", "h"],
    ["?@h", "?@h", "?", "h"],
    ["a%3Fsubject=x@h", "a?subject=x@h", "a?subject=x", "h"],
  ];
  it.each(rows)(
    "the mailbox of %s has an address with a local part and a domain",
    async (text, address, localPart, domain) => {
      const mailbox = await fetchMailbox(text);
      const recipients = [{ address, localPart, domain }];
      expect(mailbox).toMatchObject({ kind: "mailbox", ...recipients[0], recipients, headers: [] });
      expect(mailbox.plan.steps.map((step) => [step.action, step.spec])).toEqual([["redirect", "3.5"]]);
      expect(String(mailbox.url)).toBe(`mailto:${text}`);
    },
  );

  const withHeaders: [text: string, headers: [name: string, value: string][]][] = [
    ["a@h?subject=hello", [["subject", "hello"]]],
    ["a@h?", []],
    [
      "a@h?Subject=a%20b&CC=c@d&body=one%0D%0Atwo%09tab",
      [
        ["subject", "a b"],
        ["cc", "c@d"],
        ["body", "one\r\ntwo\ttab"],
      ],
    ],
    [
      "a@h?subject=1%2B1=2&subject=x+y",
      [
        ["subject", "1+1=2"],
        ["subject", "x+y"],
      ],
    ],
    ["a@h?x", [["x", ""]]],
    ["a@h?body=gr%C3%BC%C3%9Fe", [["body", "grüße"]]],
    [
      "a@h?subject=who?&cc=b@h",
      [
        ["subject", "who?"],
        ["cc", "b@h"],
      ],
    ],
  ];
  it.each(withHeaders)("the client returns the header fields of %s (RFC 6068)", async (text, headers) => {
    const mailbox = await fetchMailbox(text);
    expect(mailbox).toMatchObject({ address: "a@h", localPart: "a", domain: "h", headers });
    // The address in RFC 1738 §3.5 is the whole text after the colon.
    expect(mailbox.url).toMatchObject({ address: text });
    expect(JSON.parse(JSON.stringify(mailbox))).toMatchObject({ kind: "mailbox", address: "a@h", headers });
  });

  // RFC 6068 §2, §6
  const several: [text: string, addresses: string[], headers?: [name: string, value: string][]][] = [
    ["a@x,b@y", ["a@x", "b@y"]],
    [
      "a@x,b@y?to=c@z&subject=s",
      ["a@x", "b@y", "c@z"],
      [
        ["to", "c@z"],
        ["subject", "s"],
      ],
    ],
    ["?to=a@x,b@y", ["a@x", "b@y"], [["to", "a@x,b@y"]]],
    [
      "?to=a@x%2C%20b@y&TO=c@z",
      ["a@x", "b@y", "c@z"],
      [
        ["to", "a@x, b@y"],
        ["to", "c@z"],
      ],
    ],
    // RFC 6068 §2: a header field name may contain escapes.
    ["a@x?%74o=b@y", ["a@x", "b@y"], [["to", "b@y"]]],
    ["?%54%4F=a@x,b@y", ["a@x", "b@y"], [["to", "a@x,b@y"]]],
    ["?subject=s", [], [["subject", "s"]]],
    ["a@x?to=", ["a@x"], [["to", ""]]],
    ["%22not%40me%22@example.org", ['"not@me"@example.org']],
    ["%22a,b%22@x,c@y", ['"a,b"@x', "c@y"]],
    ["%22a%5C%22,b%22@x", ['"a\\",b"@x']],
    ["gorby%25kremvax@example.com", ["gorby%kremvax@example.com"]],
    ["user@%E7%B4%8D%E8%B1%86.example.org", ["user@納豆.example.org"]],
    ["grüße@bücher.example", ["grüße@bücher.example"]],
    ["a@x?subject=hello world, 100%", ["a@x"], [["subject", "hello world, 100%"]]],
  ];
  it.each(several)("the mailbox of %s has the recipients %j", async (text, addresses, headers = []) => {
    const mailbox = await fetchMailbox(text);
    expect(mailbox.recipients.map(({ address }) => address)).toEqual(addresses);
    expect(mailbox.address).toBe(addresses[0] ?? "");
    expect(mailbox.headers).toEqual(headers);
    expect(mailbox.url).toMatchObject({ addressFault: undefined });
    expect(Object.isFrozen(mailbox.recipients) && mailbox.recipients.every(Object.isFrozen)).toBe(true);
  });

  it.each([
    ["mailto:?to=a@b", "?to=a@b", "?to=a"],
    ["mailto:a@b?to=c@d", "a@b", "a"],
  ])("the mode rfc1738 reads a single address in %s", async (text, address, localPart) => {
    const mailbox = await mailtoClient.dereference(mailtoSyntax.parse(text, { mode: "rfc1738" }));
    expect(mailbox.recipients).toEqual([{ address, localPart, domain: "b" }]);
  });

  it("the mode rfc1738 refuses several recipients and UTF-8", () => {
    for (const text of ["mailto:a@x,b@y", "mailto:%C3%A9@h"])
      expect(() => mailtoClient.plan(mailtoSyntax.parse(text, { mode: "rfc1738" }))).toThrow(
        "not an addr-spec",
      );
  });

  it("a mailbox has frozen header fields", async () => {
    const { headers } = await fetchMailbox("a@h?subject=x");
    expect(Object.isFrozen(headers) && Object.isFrozen(headers[0])).toBe(true);
  });

  const refused: [text: string, because: RegExp][] = [
    ["nobody", /not an addr-spec: the local part must be followed by '@'/],
    [";/?:@&=", /not an addr-spec/],
    ["a@b,c", /not an addr-spec/],
    ["a@b,", /not an addr-spec/],
    ["a@b,,c@d", /not an addr-spec/],
    ["a@b?to=c", /not an addr-spec/],
    ["a@b?%74o=c", /not an addr-spec/],
    ["a@b%0D%0A,c@d", /not an addr-spec/],
    ["%FF@h", /not an addr-spec: the address is not valid UTF-8/],
    ["a%E2%80%AEb@h", /invisible character/],
    ["a%C2%80b@h", /invisible character/],
    ["%EF%BB%BFa@h", /invisible character/],
    ["a%20b@h", /not an addr-spec/],
    ["a%0D%0ABcc:x@h", /not an addr-spec/],
    ["%22a%0D%0A%20b%22@h", /address contains the control byte %0D/],
    ["%22a%00b%22@h", /address contains the control byte %00/],
    ["%22a%1Bb%22@h", /address contains the control byte %1B/],
    ["a@h?subject=x%0D%0ABcc:y", /header field subject contains the control byte %0D/],
    ["a@h?subject=x%0ABcc:y", /control byte %0A/],
    ["a@h?cc=x%0D", /control byte %0D/],
    ["a@h?body=a%0Db", /body contains the control byte %0D/],
    ["a@h?body=a%0Ab", /body contains the control byte %0A/],
    ["a@h?body=a%00", /body contains the control byte %00/],
    ["a@h?body=%1B%5B2J", /body contains the control byte %1B/],
    ["a@h?sub%20ject=x", /name of a header field/],
    ["a@h?bcc%3Ax=y", /name of a header field/],
    ["a@h?x%0D%0Ay=z", /name of a header field/],
    ["a@h?=x", /name of a header field/],
    ["a@h?%C3%A9=x", /name of a header field/],
  ];
  it.each(refused)("the client refuses the address or header fields of %s", async (text, because) => {
    await expect(fetchMailbox(text)).rejects.toMatchObject({
      code: "refused-characters",
      message: expect.stringMatching(because) as string,
    });
    expect(() => mailtoClient.plan(`mailto:${text}`)).toThrow(
      expect.objectContaining({ code: "refused-characters" }),
    );
  });

  it("the client accepts control characters with allowControlCharacters, but no line ends", async () => {
    const options = { allowControlCharacters: true };
    expect(await mailtoClient.dereference("mailto:a@h?body=%1B", options)).toMatchObject({
      headers: [["body", "\x1b"]],
    });
    await expect(mailtoClient.dereference("mailto:a@h?subject=%0A", options)).rejects.toMatchObject({
      code: "refused-characters",
    });
  });

  it("the header fields other than body contain no control characters, for any escaped bytes", async () => {
    const escaped = fc
      .uint8Array({ maxLength: 12 })
      .map((bytes) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("subject", "cc", "x-y"),
        escaped,
        escaped,
        async (name, value, extra) => {
          const found = await fetchMailbox(`a@h?${name}${extra}=${value}`).catch(() => undefined);
          if (found) expect(found.headers.flat().join("") + found.address).not.toMatch(/\p{Cc}/u);
        },
      ),
    );
  });
});
