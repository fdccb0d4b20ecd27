import { gopher } from "@anyscheme/scheme-gopher";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import type { ByteSource } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GopherMenuContext, createGopherMenuContext } from "../../src/menu/menu-entry.ts";
import { type GopherEntry, gophersSyntax, gopherSyntax, parseMenu } from "../../src/index.ts";
import { parseMenuStream, MenuParser } from "../../src/menu/menu.ts";

const CLIENT_LIMITS = mergeDefaultLimitsOfSchemes([gopher()]);
const menuServer = createGopherMenuContext(gopherSyntax.parse("gopher://h.example/1"), undefined);

function parseMenuChunks(
  chunks: readonly (string | Uint8Array)[],
  at: GopherMenuContext = menuServer,
  maxLineBytes = 4096,
): [GopherEntry[], string?] {
  const parser = new MenuParser(at, maxLineBytes);
  const entries: GopherEntry[] = [];
  for (const chunk of chunks) {
    parser.push(Buffer.from(chunk as string, "latin1"));
    for (let entry = parser.nextEntry(); entry; entry = parser.nextEntry()) entries.push(entry);
  }
  const last = parser.end();
  if (last) entries.push(last);
  return parser.endReason ? [entries, parser.endReason] : [entries];
}

const parseLineToJson = (text: string, at?: GopherMenuContext): Record<string, unknown> => {
  const entry = parseMenuChunks([`${text}\r\n`], at)[0][0];
  return JSON.parse(JSON.stringify(entry)) as Record<string, unknown>;
};

describe("MenuParser parses a line of a Gopher menu", () => {
  it.each([
    ["0A text\t/a b.txt\th.example\t70", "text", "A text", "gopher://h.example/0/a%20b.txt"],
    ["1Menu\t1/dir\th.example\t7070", "menu", "Menu", "gopher://h.example:7070/11/dir"],
    ["1Root\t\th.example\t70", "menu", "Root", "gopher://h.example/1"],
    ["2Phones\t\tph.example\t105", "phone-book", "Phones", "gopher://ph.example:105/2"],
    ["3Gone\t\terror.host\t1", "error", "Gone", undefined],
    ["7Find\t/find\th.example\t70", "search", "Find", "gopher://h.example/7/find"],
    ["8Log in\tguest\tt.example\t23", "telnet", "Log in", "telnet://guest@t.example:23/"],
    ["8Log in\t\tt.example\t2323", "telnet", "Log in", "telnet://t.example:2323/"],
    ["8Log in\ta@b:c/d\tt.example\t23", "telnet", "Log in", "telnet://a%40b%3Ac%2Fd@t.example:23/"],
    ["TLog in\tguest\tt.example\t23", "tn3270", "Log in", "tn3270://guest@t.example:23/"],
    ["9Data\t/x%y\th.example\t70", "binary", "Data", "gopher://h.example/9/x%25y"],
    ["gGif\t/g\th.example\t70", "image", "Gif", "gopher://h.example/g/g"],
    ["iwords\tfake\t(NULL)\t0", "info", "words", undefined],
    ["i", "info", "", undefined],
    ["hWeb\tURL:http://w.example/?a=b\th.example\t70", "link", "Web", "http://w.example/?a=b"],
    ["hMail\tURL:mailto:a@b.example\t\t", "link", "Mail", "mailto:a@b.example"],
    ["hHole\tURL:gopher://g.example/0x%09y\th.example\t70", "link", "Hole", "gopher://g.example/0x%09y"],
    ["hNone\tURL:not a URL\th.example\t70", "link", "None", undefined],
    ["hPage\t/p.html\th.example\t70", "html", "Page", "gopher://h.example/h/p.html"],
    ["ZOdd\t/z\th.example\t70", "unknown", "Odd", "gopher://h.example/Z/z"],
    ["~Odd\t/z\th.example\t70", "unknown", "Odd", "gopher://h.example/%7E/z"],
    ["0Plus\t0/p\th.example\t70\t+", "text", "Plus", "gopher://h.example/00/p%09%09+"],
    ["0Form\t0/f\th.example\t70\t?", "text", "Form", "gopher://h.example/00/f%09%09?"],
    ["0More\t/m\th.example\t70\textra\tfields", "text", "More", "gopher://h.example/0/m"],
    ["0Blanks\t/m\th.example\t 70 ", "text", "Blanks", "gopher://h.example/0/m"],
    ["0Name\t/m\tmy_host.example\t70", "text", "Name", "gopher://my_host.example/0/m"],
    ["0Six\t/m\t2001:db8::1\t70", "text", "Six", "gopher://[2001:db8::1]/0/m"],
    ["0Bad host\t/m\tevil.example/1x\t70", "text", "Bad host", undefined],
    ["0Bad host\t/m\tuser@evil.example\t70", "text", "Bad host", undefined],
    ["0Bad host\t/m\t(NULL)\t70", "text", "Bad host", undefined],
    ["0CR\ta\rb\th.example\t70", "text", "CR", "gopher://h.example/0a%0Db"],
    ["0caf\xc3\xa9\t/\xc3\xa9\th.example\t70", "text", "caf\u00e9", "gopher://h.example/0/%C3%A9"],
    ["0caf\xe9\t/\xe9\th.example\t70", "text", "caf\u00e9", "gopher://h.example/0/%E9"],
  ])("MenuParser parses the menu line %j as the kind %s with the name %j", (text, kind, name, url) => {
    const entry = parseLineToJson(text);
    expect([entry["kind"], entry["name"], entry["url"]]).toEqual([kind, name, url]);
    expect(entry["fault"]).toBeUndefined();
  });

  it.each([
    ["just some words", "just some words", "the menu line has no fields"],
    ["", "", "the menu line has no fields"],
    ["0Name\t/sel", "Name", "the menu line has no host or no valid port"],
    ["0Name\t/sel\th.example", "Name", "the menu line has no host or no valid port"],
    ["0Name\t/sel\t\t70", "Name", "the menu line has no host or no valid port"],
    ["0Name\t/sel\th.example\t0", "Name", "the menu line has no host or no valid port"],
    ["0Name\t/sel\th.example\t65536", "Name", "the menu line has no host or no valid port"],
    ["0Name\t/sel\th.example\t7o", "Name", "the menu line has no host or no valid port"],
    ["+Mirror\t/sel\th.example\t70", "Mirror", "the menu has no item before the mirror line"],
  ])(
    "MenuParser parses the invalid menu line %j as an information entry with the fault: %s",
    (text, name, fault) => {
      expect(parseLineToJson(text)).toEqual({
        kind: "info",
        name,
        fault,
        itemType: expect.any(String) as string,
      });
    },
  );

  it("MenuParser parses all fields and the Gopher+ tag of a menu line", () => {
    expect(parseLineToJson("0Plus\t0/p\th.example\t70\t+")).toEqual({
      name: "Plus",
      kind: "text",
      itemType: "0",
      selector: "0/p",
      host: "h.example",
      port: 70,
      plus: "+",
      url: "gopher://h.example/00/p%09%09+",
    });
  });

  it("MenuParser keeps the scheme gophers only for items on the server of the menu", () => {
    const at: GopherMenuContext = { ...menuServer, scheme: "gophers" };
    expect(parseLineToJson("0A\t/a\tH.example\t70", at)["url"]).toBe("gophers://H.example/0/a");
    expect(parseLineToJson("0A\t/a\th.example\t7070", at)["url"]).toBe("gopher://h.example:7070/0/a");
    expect(parseLineToJson("0A\t/a\tother.example\t70", at)["url"]).toBe("gopher://other.example/0/a");
  });
});

describe("GopherEntry.search builds the URL of a search", () => {
  const entry = (text: string, at?: GopherMenuContext): GopherEntry => {
    const found = parseMenuChunks([`${text}\r\n`], at)[0][0];
    if (!found) throw new Error("there is no entry");
    return found;
  };
  const find = "7Find\t/find\th.example\t70";

  // RFC 1738 §3.4.2
  it.each([
    [find, "words", "gopher://h.example/7/find%09words"],
    [find, "two words+", "gopher://h.example/7/find%09two%20words+"],
    [find, "", "gopher://h.example/7/find%09"],
    [find, "caf\u00e9", "gopher://h.example/7/find%09caf%C3%A9"],
    [find, Buffer.from("caf\xe9", "latin1"), "gopher://h.example/7/find%09caf%E9"],
    [find, "100%09", "gopher://h.example/7/find%09100%2509"],
    ["7Find\t7\xe9\th_x.example\t7070", "words", "gopher://h_x.example:7070/77%E9%09words"],
    ["7Find\t7/find\th.example\t70\t+", "words", "gopher://h.example/77/find%09words%09+"],
    ["7Find\t7/find\t2001:db8::1\t70", "words", "gopher://[2001:db8::1]/77/find%09words"],
  ])(
    "GopherEntry.search builds the URL of a search from the menu line %j and the words %j",
    (text, words, url) => {
      expect(entry(text).search(words).href).toBe(url);
    },
  );

  it("GopherEntry.search builds a gophers URL for a search item in a menu over TLS", () => {
    const at: GopherMenuContext = { ...menuServer, scheme: "gophers" };
    expect(entry(find, at).search("words").href).toBe("gophers://h.example/7/find%09words");
  });

  it.each(["0Text\t/t\th.example\t70", "iinfo", "7Bad host\t/f\t(NULL)\t70", "7No host\t/f"])(
    "GopherEntry.search refuses to search the menu line %j",
    (text) => {
      expect(() => entry(text).search("words")).toThrow(TypeError);
    },
  );

  it("GopherEntry.search refuses search words with a tab", () => {
    expect(() => entry(find).search("a\tb")).toThrow(/tab/);
  });
});

describe("the parser reads a whole Gopher menu", () => {
  const names = (text: string): string[] => parseMenuChunks([text])[0].map(({ name }) => name);

  it.each([
    ["CR LF line ends and a final dot", "0A\ta\th\t70\r\n0B\tb\th\t70\r\n.\r\n", ["A", "B"]],
    ["LF line ends and no final dot", "0A\ta\th\t70\n0B\tb\th\t70\n", ["A", "B"]],
    ["no line end after the last line", "0A\ta\th\t70\r\n0B\tb\th\t70", ["A", "B"]],
    ["text after the final dot", "0A\ta\th\t70\r\n.\r\n0B\tb\th\t70\r\n", ["A"]],
    ["a final dot that has no line end", "0A\ta\th\t70\r\n.", ["A"]],
    ["nothing", "", []],
  ])("the client parses a menu with %s", (_, text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it("the client parses the bytes of a saved menu with parseMenu", () => {
    const url = gopherSyntax.parse("gopher://h.example/1");
    const text = "0caf\xc1\ta\th.example\t70\r\njust words\r\n.\r\n0More\ta\th\t70\r\n";
    const bytes = Buffer.from(text, "latin1");
    expect([...parseMenu(bytes, url)].map(({ name }) => name)).toEqual(["caf\u00c1", "just words"]);
    expect([...parseMenu(bytes, url, { charset: "koi8-r" })][0]?.name).toBe("caf\u0430");
    const gophers = gophersSyntax.parse("gophers://h.example/1");
    expect([...parseMenu(bytes, gophers)][0]?.url?.href).toBe("gophers://h.example/0a");
    expect(() => [...parseMenu(Buffer.alloc(5000, "x"), url)]).toThrow(/maxGopherLineBytes/);
  });

  it("the client parses a mirror line with the type of the item before it", () => {
    const [entries] = parseMenuChunks([
      "0A\ta\th\t70\r\niinfo\r\n+B\tb\tm.example\t70\r\n+C\tc\tn.example\t70\r\n",
    ]);
    expect(entries.map(({ kind, url }) => [kind, url?.href])).toEqual([
      ["text", "gopher://h/0a"],
      ["info", undefined],
      ["mirror", "gopher://m.example/0b"],
      ["mirror", "gopher://n.example/0c"],
    ]);
  });

  it.each([
    [9, "long-line"],
    [10, undefined],
    [11, undefined],
  ])(
    "MenuParser with the line limit %i parses a menu line of ten bytes with the end reason %s",
    (limit, ended) => {
      const text = "0A\ta\th\t70\r\n0123456789\r\n";
      const first = "i\r\n";
      for (const chunks of [[first + text], (first + text).split("")]) {
        const [entries, why] = parseMenuChunks(chunks, menuServer, limit);
        expect(why).toBe(ended);
        expect(entries).toHaveLength(ended ? 2 : 3);
      }
    },
  );

  it("the client stops at a menu line above the line limit", () => {
    const parser = new MenuParser(menuServer, 10);
    const push = (): unknown[] => {
      parser.push(Buffer.from("x"));
      return [parser.nextEntry(), parser.endReason];
    };
    for (let count = 0; count <= 10; count++) expect(push()).toEqual([undefined, undefined]);
    expect(push()).toEqual([undefined, "long-line"]);
    expect(push()).toEqual([undefined, "long-line"]);
    expect(parser.end()).toBeUndefined();
  });

  it("the client parses each menu line when its entry is requested", () => {
    let createdCount = 0;
    const decode = (latin1: string): string => {
      if (latin1.startsWith("name")) createdCount++;
      return latin1;
    };
    const parser = new MenuParser({ ...menuServer, decodeText: decode }, 100);
    parser.push(Buffer.from("0name\ta\th\t70\r\n".repeat(1_000)));
    for (let requested = 1; requested <= 3; requested++) {
      expect(parser.nextEntry()?.name).toBe("name");
      expect(createdCount).toBe(requested);
    }
  });

  it("MenuParser accepts further bytes before the caller has read all entries", () => {
    const parser = new MenuParser(menuServer, 100);
    const menu = Array.from({ length: 1_000 }, (_, at) => `0${at}\ta\th\t70\r\n`).join("");
    const next = (): GopherEntry | undefined => parser.nextEntry() ?? parser.end();
    const names: string[] = [];
    for (const chunk of [menu.slice(0, 9_001), menu.slice(9_001)]) {
      parser.push(Buffer.from(chunk));
      names.push(parser.nextEntry()?.name ?? "");
    }
    for (let entry = next(); entry; entry = next()) names.push(entry.name);
    expect(names).toEqual(Array.from({ length: 1_000 }, (_, at) => String(at)));
  });

  it("the client keeps received menu lines when more bytes arrive in the same buffer", async () => {
    const lines = Array.from({ length: 1_000 }, (_, at) => `0${at}\ta\th\t70\r\n`).join("");
    const chunks = [lines.slice(0, 9_001), lines.slice(9_001)];
    const buffer = new Uint8Array(9_001);
    const source: ByteSource = {
      readChunks(take) {
        const chunk = Buffer.from(chunks.shift() ?? "");
        if (chunk.length === 0) return Promise.resolve("end");
        buffer.set(chunk);
        take(buffer.subarray(0, chunk.length));
        buffer.fill(0x78);
        return Promise.resolve("more");
      },
      cancel: () => undefined,
    };
    const names: string[] = [];
    const parser = new MenuParser(menuServer, CLIENT_LIMITS.maxGopherLineBytes);
    for await (const { name } of parseMenuStream(source, parser, CLIENT_LIMITS)) names.push(name);
    expect(names).toEqual(Array.from({ length: 1_000 }, (_, at) => String(at)));
  });

  it("the client parses a menu in one chunk with the same result as line by line", () => {
    const lines = Array.from({ length: 500 }, (_, at) => `0${"x".repeat(at % 97)}\t${at}\th\t70\r\n`);
    expect(parseMenuChunks(lines)[0]).toHaveLength(500);
    expect(JSON.stringify(parseMenuChunks([lines.join("")]))).toBe(JSON.stringify(parseMenuChunks(lines)));
  });

  it("the client parses a menu with the same result for every split into chunks", () => {
    const part = fc.constantFrom(
      "0A\ta\th\t70",
      "\r\n",
      "\n",
      "\t",
      ".",
      "\r",
      "iinfo",
      "+M\tm\th\t70",
      "\xc3",
      "\xa9",
      "3E\t\terror.host\t1",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), fc.integer({ min: 1, max: 7 }), (parts, size) => {
        const text = parts.join("");
        const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        expect(JSON.stringify(parseMenuChunks(chunks, menuServer, 20))).toBe(
          JSON.stringify(parseMenuChunks([text], menuServer, 20)),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("the client creates entry URLs that keep every byte of the selector", () => {
    const bytes = fc
      .array(
        fc.integer({ min: 1, max: 255 }).filter((byte) => ![0x09, 0x0a, 0x0d].includes(byte)),
        { maxLength: 20 },
      )
      .map((array) => String.fromCharCode(...array));
    fc.assert(
      fc.property(bytes, (selector) => {
        const { href = "" } = parseMenuChunks([`0x\t${selector}\th\t70\r\n`])[0][0]?.url ?? {};
        const url = gopherSyntax.parse(href, { mode: "rfc1738" });
        expect(Buffer.from(percentDecode(url.selector ?? "")).toString("latin1")).toBe(selector);
      }),
    );
  });
});
