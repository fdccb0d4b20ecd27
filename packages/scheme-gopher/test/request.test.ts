import { AccessError } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { encodeGopherRequest } from "../src/request.ts";
import { gopherSyntax } from "../src/syntax.ts";

const parseGopherPath = (path: string): ReturnType<typeof gopherSyntax.parse> =>
  gopherSyntax.parse(`gopher://h/${path}`);
const bytesToText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const ENCODED_FORM = "+%091%0D%0A+-1%0D%0A110%0D%0ACh%C3%A9ri%0D%0A.%0D%0A";

describe("encodeGopherRequest encodes a Gopher request", () => {
  it.each([
    ["", "\r\n", "3.4.1", "<cr><lf>"],
    ["1", "\r\n", "3.4.1", "<cr><lf>"],
    ["00/hello.txt", "0/hello.txt\r\n", "3.4.1", "0/hello.txt<cr><lf>"],
    ["0caf%E9", "caf\xe9\r\n", "3.4.1", "caf\u00e9<cr><lf>"],
    ["0a%2509", "a%09\r\n", "3.4.1", "a%09<cr><lf>"],
    ["7sel%09two%20words+", "sel\ttwo words+\r\n", "3.4.2", "sel<tab>two words+<cr><lf>"],
    ["7sel%09", "sel\t\r\n", "3.4.2", "sel<tab><cr><lf>"],
    ["7sel%09words%09+", "sel\twords\t+\r\n", "3.4.4", "sel<tab>words<tab>+<cr><lf>"],
    ["7sel%09%09!", "sel\t\t!\r\n", "3.4.6", "sel<tab><tab>!<cr><lf>"],
    ["0sel%09%09+", "sel\t+\r\n", "3.4.4", "sel<tab>+<cr><lf> (without the empty search string)"],
    ["1%09%09$", "\t$\r\n", "3.4.6", "<tab>$<cr><lf> (without the empty search string)"],
    [
      "0sel%09%09!+ABSTRACT%20+SMELL",
      "sel\t!+ABSTRACT +SMELL\r\n",
      "3.4.7",
      "sel<tab>!+ABSTRACT +SMELL<cr><lf> (without the empty search string)",
    ],
    [
      "0sel%09%09+application/postscript%20Es_ES",
      "sel\t+application/postscript Es_ES\r\n",
      "3.4.8",
      "sel<tab>+application/postscript Es_ES<cr><lf> (without the empty search string)",
    ],
    [
      "0sel%09%09?",
      "sel\t!\r\n",
      "3.4.5",
      "sel<tab>!<cr><lf> (without the empty search string) (requests the form as a part of the attributes)",
    ],
    [
      "7sel%09%09?",
      "sel\t\t!\r\n",
      "3.4.5",
      "sel<tab><tab>!<cr><lf> (requests the form as a part of the attributes)",
    ],
  ])("encodeGopherRequest encodes the gopher path %s as a request", (path, bytes, spec, description) => {
    const request = encodeGopherRequest(parseGopherPath(path), {});
    expect(bytesToText(request.bytes)).toBe(bytes);
    expect(request).toMatchObject({ rfcSection: spec, description, containsFormValues: false });
  });

  it('encodeGopherRequest encodes an empty search string if the option emptySearch is "send"', () => {
    const request = encodeGopherRequest(parseGopherPath("0sel%09%09+"), { emptySearch: "send" });
    expect(bytesToText(request.bytes)).toBe("sel\t\t+\r\n");
    expect(request.description).toBe("sel<tab><tab>+<cr><lf>");
  });
});

describe("encodeGopherRequest encodes a submitted Gopher+ form", () => {
  it.each([
    [ENCODED_FORM, "sel\t+\t1\r\n+-1\r\n110\r\nCh\xc3\xa9ri\r\n.\r\n"],
    ["+%091%0D%0A+-1%0D%0A.%0D%0A", "sel\t+\t1\r\n+-1\r\n.\r\n"],
    [
      "+text/plain%20De%091%0D%0A+-1%0D%0A%0D%0A..%0D%0A.%0D%0A",
      "sel\t+text/plain De\t1\r\n+-1\r\n\r\n..\r\n.\r\n",
    ],
  ])("encodeGopherRequest decodes the Gopher+ string %s of a form, and adds no line end", (plus, bytes) => {
    const request = encodeGopherRequest(parseGopherPath(`0sel%09%09${plus}`), { allowForms: true });
    expect(bytesToText(request.bytes)).toBe(bytes);
    expect(request).toMatchObject({ rfcSection: "3.4.9", containsFormValues: true });
    expect(request.description).toMatch(
      /^sel<tab>\+[^<]*<tab>1<cr><lf>\+-1<cr><lf>\*\*\*\*<cr><lf>\.<cr><lf> \(without the empty search string\)$/,
    );
  });

  it("encodeGopherRequest keeps the empty search string of a search item whose form is submitted", () => {
    const request = encodeGopherRequest(parseGopherPath(`7sel%09%09${ENCODED_FORM}`), { allowForms: true });
    expect(bytesToText(request.bytes).startsWith("sel\t\t+\t1\r\n")).toBe(true);
  });

  it("encodeGopherRequest refuses to submit a form without the option allowForms", () => {
    expect(() => encodeGopherRequest(parseGopherPath(`0sel%09%09${ENCODED_FORM}`), {})).toThrow(
      /submits a form.*allowForms/,
    );
  });

  it.each([
    ["text after the final dot and no line end", "+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0Aquit"],
    ["a line after the final dot", "+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0Aquit%0D%0A"],
    ["a second final dot", "+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0Aquit%0D%0A.%0D%0A"],
    ["no final dot", "+%091%0D%0A+-1%0D%0Aa%0D%0A"],
    ["no line end after the final dot", "+%091%0D%0A+-1%0D%0Aa%0D%0A."],
    ["a bare LF", "+%091%0D%0A+-1%0D%0Aa%0Ab%0D%0A.%0D%0A"],
    ["a bare CR", "+%091%0D%0A+-1%0D%0Aa%0Db%0D%0A.%0D%0A"],
    ["NUL", "+%091%0D%0A+-1%0D%0Aa%00%0D%0A.%0D%0A"],
    ["a data block that states its length", "+%091%0D%0A+3%0D%0Aa%0D%0A"],
    ["no data flag", "+%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A"],
    ["another data flag", "+%092%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A"],
    ["a line end in the name of the view", "+a%0D%0Ab%091%0D%0A+-1%0D%0A.%0D%0A"],
    ["a control byte in the name of the view", "+a%07%091%0D%0A+-1%0D%0A.%0D%0A"],
    ["a control byte in a form value", "+%091%0D%0A+-1%0D%0A%07%0D%0A.%0D%0A"],
    ["no leading +", "!%091%0D%0A+-1%0D%0A.%0D%0A"],
    ["a data flag alone", "+%091"],
    ["no data", "+%090"],
  ])("encodeGopherRequest refuses to submit a form with %s even if forms are allowed", (_, plus) => {
    const encode = (): unknown =>
      encodeGopherRequest(parseGopherPath(`0sel%09%09${plus}`), { allowForms: true });
    expect(encode).toThrow(expect.objectContaining({ code: "refused-characters" }) as Error);
  });
});

describe("encodeGopherRequest refuses bytes that would end a field or the request", () => {
  const escapes = Array.from(
    { length: 256 },
    (_, byte) => [byte, `%${byte.toString(16).padStart(2, "0")}`] as const,
  );
  const control = (byte: number): boolean => byte < 0x20 || byte === 0x7f;
  const fatal = new Set([0x00, 0x09, 0x0a, 0x0d]);
  // A tab ends a selector or a search string.
  const fields: [string, (escape: string) => string, (byte: string) => string][] = [
    ["gophertype", (escape) => `${escape}x`, () => "x\r\n"],
    ["selector", (escape) => `0a${escape}b`, (byte) => `a${byte}b\r\n`],
    ["search string", (escape) => `7a%09b${escape}c`, (byte) => `a\tb${byte}c\r\n`],
    ["Gopher+ string", (escape) => `7a%09b%09+${escape}c`, (byte) => `a\tb\t+${byte}c\r\n`],
  ];

  function outcome(path: string, allowControlCharacters: boolean): string {
    try {
      return bytesToText(
        encodeGopherRequest(parseGopherPath(path), { allowControlCharacters, allowForms: true }).bytes,
      );
    } catch (error) {
      if (error instanceof AccessError) return error.code;
      throw error;
    }
  }

  describe.each(fields)("encodeGopherRequest encodes every escaped byte in the %s", (name, path, wire) => {
    it.each([false, true])(
      "encodeGopherRequest refuses the forbidden bytes, and encodes the others unchanged where the field is sent (allowControlCharacters: %s)",
      (allowControlCharacters) => {
        const splits = name === "selector" || name === "search string";
        for (const [byte, escape] of escapes) {
          if (byte === 0x09 && splits) continue;
          const refused = fatal.has(byte) || (control(byte) && !allowControlCharacters);
          const expected = refused ? "refused-characters" : wire(String.fromCharCode(byte));
          expect([escape, outcome(path(escape), allowControlCharacters)]).toEqual([escape, expected]);
        }
      },
    );
  });
});
