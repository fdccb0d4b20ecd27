import { createClient } from "@anyscheme/core";
import { percentEncode } from "@anyscheme/core/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeWpath, encodeWpath, wais, waisSyntax } from "../../../src/wais/index.ts";
import {
  readCapturedResponseApdus,
  extractApdu,
  decodeSearchResponseApdu,
  readCapturedExchanges,
} from "../read-captures.ts";
import { matchErrorWithCode } from "../wais-server.ts";

/** The document-id that freeWAIS-sf assigns to apple.txt. */
const capturedDocumentId = decodeSearchResponseApdu(
  extractApdu(readCapturedExchanges("30-lynx-search")[0]?.response ?? Buffer.alloc(0)),
).headers[0]?.documentId as Uint8Array;

/** The form in which Lynx writes the captured document-id in a URL. */
const wpathOfLynx =
  "107/1=vm%3A21010;2=db/fruit;3=0%20107%20/srv/library/wais/docs/apple.txt;" +
  "4=vm%3A21010;5=db/fruit;6=0%20107%20/srv/library/wais/docs/apple.txt;7=%00;";

const encodeHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("decodeWpath", () => {
  it.each([
    ["a wpath of Lynx", wpathOfLynx, 107],
    [
      "a wpath that waisSyntax.format() has escaped",
      waisSyntax.parse(waisSyntax.format(waisSyntax.parse(`wais://h/d/TEXT/${wpathOfLynx}`))).wpath ?? "",
      107,
    ],
    ["the escaped bytes of the document-id", percentEncode(capturedDocumentId), undefined],
  ])("decodeWpath decodes a wpath: %s", (_name, wpath, length) => {
    const document = decodeWpath(wpath);
    expect([encodeHex(document.id), document.length]).toEqual([encodeHex(capturedDocumentId), length]);
  });

  it.each([
    ["0/1=h;", "010168", undefined],
    [
      "606/2=fruit;3=0%200%20db/fruit.src;7=%00;",
      `0205${encodeHex(Buffer.from("fruit"))}0310${encodeHex(Buffer.from("0 0 db/fruit.src"))}070100`,
      606,
    ],
    ["5/3=a%3Bb%3D;", "0304613b623d", 5],
    ["5/200=x;", "81480178", 5],
    ["5/3=;", "0300", 5],
  ])("decodeWpath decodes the wpath %s, which consists of elements", (wpath, id, length) => {
    const document = decodeWpath(wpath);
    expect([encodeHex(document.id), document.length]).toEqual([id, length]);
  });

  it.each([
    "document",
    "107",
    "107/",
    "107/1=x",
    "107/x=1;",
    "107/1=x;2",
    "1=x;",
    "-1/1=x;",
    "9999999999999999/1=x;",
    "107/1=a;b;",
  ])("decodeWpath decodes the wpath %s as opaque bytes", (wpath) => {
    expect(decodeWpath(wpath)).toEqual({ id: new Uint8Array(Buffer.from(wpath)), length: undefined });
  });

  it("decodeWpath encodes the length of an element above 127 bytes in two bytes", () => {
    const { id } = decodeWpath(`1/3=${"x".repeat(200)};`);
    expect(encodeHex(id.subarray(0, 3))).toBe("038148");
  });

  it.each([
    "%00",
    "a%0Ab",
    "a%0D",
    "1/3=a%0A;",
    "1/3=a%00b;",
    "1/7=%00%0A%00%00%00;",
    "%03%02a%0A",
    "%09%01%0A",
  ])("decodeWpath refuses the wpath %s, which contains NUL, CR or LF", (wpath) => {
    expect(() => decodeWpath(wpath)).toThrow(matchErrorWithCode("refused-characters"));
  });

  it("decodeWpath accepts LF as the length of an element and NUL bytes as the copyright number", () => {
    const id = Buffer.concat([
      Buffer.from([3, 10]),
      Buffer.from("0 10 /a/bc"),
      Buffer.from([7, 4, 0, 10, 0, 0]),
    ]);
    expect(encodeHex(decodeWpath(percentEncode(id)).id)).toBe(encodeHex(id));
  });

  it("decodeWpath rejects an empty wpath, which names no document", () => {
    expect(() => decodeWpath("")).toThrow(matchErrorWithCode("unsupported"));
  });
});

describe("encodeWpath", () => {
  it("encodeWpath encodes a document-id as Lynx does", () => {
    expect(encodeWpath({ id: capturedDocumentId, length: 107 })).toBe(wpathOfLynx);
    expect(encodeWpath({ id: capturedDocumentId, length: undefined })).toBe(
      wpathOfLynx.replace("107/", "0/"),
    );
  });

  it("encodeWpath returns undefined for a document-id without elements", () => {
    for (const id of ["document", "\u0001\u0005a", "\u0009\u0001a"])
      expect(encodeWpath({ id: Buffer.from(id), length: 1 })).toBeUndefined();
  });

  it("encodeWpath encodes each captured document-id to a wpath that decodeWpath decodes to the same id", () => {
    let count = 0;
    for (const [, apdu] of readCapturedResponseApdus()) {
      if (apdu[2] !== 23) continue;
      for (const { documentId, length } of decodeSearchResponseApdu(apdu).headers) {
        if (!documentId) continue;
        const written = encodeWpath({ id: documentId, length }) ?? "";
        expect(decodeWpath(written)).toEqual({ id: Buffer.from(documentId), length });
        expect(encodeHex(decodeWpath(percentEncode(documentId)).id)).toBe(encodeHex(documentId));
        count++;
      }
    }
    expect(count).toBeGreaterThan(50);
  });

  it("encodeWpath encodes any textual document-id to a wpath that decodeWpath decodes to the same id", () => {
    const text = fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => bytes.filter((byte) => ![0, 10, 13].includes(byte)));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), text), { minLength: 1, maxLength: 8 }),
        (elements) => {
          const written = elements.map(
            ([tag, value]) =>
              `${tag}=${Array.from(value, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")};`,
          );
          const document = decodeWpath(`12/${written.join("")}`);
          expect(decodeWpath(encodeWpath(document) ?? "")).toEqual(document);
          expect(encodeHex(decodeWpath(percentEncode(document.id)).id)).toBe(encodeHex(document.id));
        },
      ),
    );
  });
});

describe("wais URLs of browsers and formatted wais URLs are equivalent", () => {
  it("the client requests the same document for a wais URL of a browser and its formatted form", () => {
    const client = createClient({ schemes: [wais()] });
    const url = client.parse(`wais://vm:21010/fruit/TEXT/${wpathOfLynx}`);
    expect(client.equal(url, client.format(url), "same-plan")).toBe(true);
  });
});
