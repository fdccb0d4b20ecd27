import { createGenericSyntax, type Syntax } from "@anyscheme/core/syntax";
import { describe, expect, it } from "vitest";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";
import { ALL_SYNTAXES } from "../fixtures/all-syntaxes.ts";

/** The relation of two URLs: equivalent or not, and with the same plan or not. */
type EqualityVerdict = "equivalent, same plan" | "equivalent" | "same plan" | "different";

function compareUrls(one: string, other: string): EqualityVerdict {
  const equivalent = clientOfAllSchemes.equal(one, other);
  if (!clientOfAllSchemes.equal(one, other, "same-plan")) return equivalent ? "equivalent" : "different";
  return equivalent ? "equivalent, same plan" : "same plan";
}

interface EqualityStatement {
  readonly description: string;
  readonly comparisons: readonly [one: string, other: string, verdict: EqualityVerdict][];
}

const EQUALITY_STATEMENTS: readonly EqualityStatement[] = [
  {
    description:
      '§2.1: "programs interpreting URLs should treat upper case letters as equivalent to lower case in scheme names"',
    comparisons: [
      ["FTP://h/a", "ftp://h/a", "equivalent, same plan"],
      ["HTTPS://h/a", "https://h/a", "equivalent, same plan"],
      ["http://h/a", "https://h/a", "different"],
    ],
  },
  {
    description: "§3.1: a fully qualified domain name, in which case makes no difference (RFC 1034 §3.1)",
    comparisons: [
      ["ftp://Host.Example/a", "ftp://host.example/a", "equivalent, same plan"],
      ["http://Host.Example/a", "http://host.example/a", "equivalent, same plan"],
      ["ftp://h/A", "ftp://h/a", "different"],
      ["ftp://Joe@h/a", "ftp://joe@h/a", "different"],
    ],
  },
  {
    description: '§2.2: "The characters "abcdef" may also be used in hexadecimal encodings"',
    comparisons: [
      ["ftp://h/%e9%2f", "ftp://h/%E9%2F", "equivalent, same plan"],
      ["gopher://h/0%7e%c3", "gopher://h/0%7E%C3", "equivalent, same plan"],
      // HTTP sends the path unchanged, and only the server can interpret it.
      ["http://h/%e9", "http://h/%E9", "equivalent"],
    ],
  },
  {
    description:
      '§2.2: "characters that are not required to be encoded (including alphanumerics) may be encoded"',
    comparisons: [
      ["ftp://h/%61%2D%2E%24", "ftp://h/a-.$", "equivalent, same plan"],
      ["ftp://%6Aoe:%70w@h/", "ftp://joe:pw@h/", "equivalent, same plan"],
      ["gopher://h/%30a%09%62", "gopher://h/0a%09b", "equivalent, same plan"],
      ["http://h/%61?%62", "http://h/a?b", "equivalent"],
      ["file:///%61", "file:///a", "equivalent, same plan"],
      // The "%" from the decoded "%25" does not begin an escape.
      ["ftp://h/%2541", "ftp://h/%41", "different"],
      ["gopher://h/1%2509", "gopher://h/1%09", "different"],
    ],
  },
  {
    description:
      '§2.2: "encoding a character reserved for a particular scheme may change the semantics of a URL"',
    comparisons: [
      ["ftp://myname@host.dom/%2Fetc/motd", "ftp://myname@host.dom/etc/motd", "different"],
      ["ftp://myname@host.dom/%2Fetc/motd", "ftp://myname@host.dom//etc/motd", "different"],
      ["ftp://h/a%3Btype=a", "ftp://h/a;type=a", "different"],
      ["http://h/a%3Fb", "http://h/a?b", "different"],
      // The client sends the same bytes for both URLs, but only their plans show this; the URLs are not equivalent.
      ["ftp://h/a%3Ab", "ftp://h/a:b", "same plan"],
      ["gopher://h/0a%2Fb", "gopher://h/0a/b", "same plan"],
    ],
  },
  {
    description: "§3.1: the port is supplied in decimal, and most schemes have a default",
    comparisons: [
      ["ftp://h:21/", "ftp://h/", "equivalent, same plan"],
      ["http://h:80/", "http://h/", "equivalent, same plan"],
      ["https://h:443/", "https://h/", "equivalent, same plan"],
      ["gopher://h:70/1", "gopher://h/1", "equivalent, same plan"],
      ["ftp://h:0021/", "ftp://h/", "equivalent, same plan"],
      ["ftp://h:02121/", "ftp://h:2121/", "equivalent, same plan"],
      ["https://h:80/", "https://h/", "different"],
    ],
  },
  {
    description: '§3.1: "the "/" between the host (or port) and the url-path is NOT part of the url-path"',
    comparisons: [
      ["ftp://h", "ftp://h/", "equivalent, same plan"],
      ["http://h", "http://h/", "equivalent, same plan"],
      ["http://h:80", "http://h/", "equivalent, same plan"],
      ["gopher://h", "gopher://h/", "equivalent, same plan"],
      ["ftp://h/", "ftp://h//", "different"],
      ["http://h/", "http://h/?", "different"],
    ],
  },
  {
    description:
      '§3.4.1: "The entire <gopher-path> may also be empty, in which case [...] the <gophertype> defaults to "1""',
    comparisons: [
      ["gopher://h/", "gopher://h/1", "equivalent, same plan"],
      ["gopher://h", "gopher://h/%31", "equivalent, same plan"],
      ["gopher://h/1", "gopher://h/1/", "different"],
      // The gopher type is not sent; it determines how the client parses the response.
      ["gopher://h/0a", "gopher://h/9a", "same plan"],
      // The client sends no bytes for gopher type 8 (Telnet), so only the equivalence of the URLs is compared.
      ["gopher://h/8a", "gopher://other/8a", "different"],
      ["gopher://h/8%61", "gopher://h/8a", "equivalent, same plan"],
    ],
  },
  {
    description: '§3.10: "<host> can be the string "localhost" or the empty string"',
    comparisons: [
      ["file://localhost/a", "file:///a", "equivalent, same plan"],
      ["file://LocalHost/a", "file:///a", "equivalent, same plan"],
      ["file:///a", "file:///b", "different"],
      ["ftp://localhost/a", "ftp://h/a", "different"],
    ],
  },
  {
    description: '§3.1: "an empty user name or password is different than no user name or password"',
    comparisons: [
      ["ftp://@host.com/", "ftp://host.com/", "different"],
      ["ftp://foo:@host.com/", "ftp://foo@host.com/", "different"],
      ["ftp://:@host.com/", "ftp://@host.com/", "different"],
    ],
  },
  {
    description: '§3.2.1: "If no user name or password is supplied [...] "anonymous" [...] is supplied"',
    comparisons: [
      // For a URL with a user name but no password, the client requests the password.
      ["ftp://anonymous@h/", "ftp://h/", "different"],
      ["ftp://anonymous:anonymous%40@h/", "ftp://h/", "same plan"],
    ],
  },
  {
    description:
      '§3.2.3: "If it is omitted, the client program interpreting the URL must guess the appropriate mode to use"',
    comparisons: [
      ["ftp://h/a.gz;type=i", "ftp://h/a.gz", "same plan"],
      ["ftp://h/a.txt;type=a", "ftp://h/a.txt", "same plan"],
      ["ftp://h/a.txt;type=i", "ftp://h/a.txt", "different"],
      ["ftp://h/a;type=I", "ftp://h/a;type=i", "same plan"],
    ],
  },
  {
    description:
      "dot segments of http and file URLs are removed (RFC 3986 §6.2.2.3), and those of ftp URLs are names (RFC 1738)",
    comparisons: [
      ["file:///a/../b", "file:///b", "equivalent, same plan"],
      ["file:///%2E%2e/b", "file:///b", "equivalent, same plan"],
      ["file:///C:/../b", "file:///b", "different"],
      ["http://h/a/../b", "http://h/b", "equivalent, same plan"],
      ["http://h/a/%2E%2e/b?../c", "http://h/b?../c", "equivalent, same plan"],
      ["http://h/?a/../b", "http://h/?b", "different"],
      ["ftp://h/./b", "ftp://h/b", "different"],
      ["ftp://h/%2E%2E/b", "ftp://h/../b", "equivalent, same plan"],
    ],
  },
  {
    description: "a URL that only modern mode accepts is equivalent to the URL that format writes for it",
    comparisons: [
      ["ftp://h/~a", "ftp://h/%7ea", "equivalent, same plan"],
      ["http://h/~a", "http://h/%7Ea", "equivalent"],
      ["ftp://h/é", "ftp://h/%C3%A9", "equivalent, same plan"],
      ["ftp://h:/a", "ftp://h/a", "equivalent, same plan"],
      ["ftp://h/a;TYPE=i", "ftp://h/a;type=i", "equivalent, same plan"],
      ["ftp://h/a;1", "ftp://h/a%3B1", "equivalent, same plan"],
      ["http://h?q", "http://h/?q", "equivalent, same plan"],
      ["file:/a", "file:///a", "equivalent, same plan"],
      ["ftp://bücher.example/", "ftp://xn--bcher-kva.example/", "equivalent, same plan"],
      ["ftp://[0:0::1]/", "ftp://[::1]/", "equivalent, same plan"],
      ["http://[::FFFF:1.2.3.4]/", "http://[::ffff:102:304]/", "equivalent, same plan"],
      ["ftp://[::1]:21/", "ftp://[::1]/", "equivalent, same plan"],
    ],
  },
  {
    description:
      "characters that only modern mode accepts, and whose escaping or removal changes the request",
    comparisons: [
      // A "/" or "?" of a search is sent as it is (RFC 3986 §3.4).
      ["http://h/?a/b", "http://h/?a%2Fb", "different"],
      ["http://h/?a=/", "http://h/?a=%2F", "different"],
      ["https://h/?a?b", "https://h/?a%3Fb", "different"],
      ["http://h/?a[]", "http://h/?a%5B%5D", "different"],
      ["http://h/a$", "http://h/a%24", "different"],
      ["http://h/%", "http://h/%25", "different"],
      ["http://u:p@h/", "http://h/", "same plan"],
      // A resolver may append a search domain to a name without the final dot (RFC 1034 §3.1).
      ["http://host.example./", "http://host.example/", "different"],
      ["ftp://HOST.example./", "ftp://host.Example./", "equivalent, same plan"],
      ["gopher://bücher.example./", "gopher://xn--bcher-kva.example./", "equivalent, same plan"],
      ["wais://localhost./d", "wais://localhost/d", "different"],
    ],
  },
  {
    description:
      '§2.2: a fragment is not part of the URL; "#" delimits "a URL from a fragment/anchor identifier that might follow it"',
    comparisons: [
      ["http://h/a#b", "http://h/a", "equivalent, same plan"],
      ["http://h/a#b", "http://h/a#c", "equivalent, same plan"],
      ["http://h/a%23b", "http://h/a", "different"],
    ],
  },
];

for (const { description: says, comparisons: rows } of EQUALITY_STATEMENTS) {
  describe(says, () => {
    it.each(rows)("%s and %s: %s", (one, other, expected) => {
      expect(compareUrls(one, other)).toBe(expected);
      expect(compareUrls(other, one)).toBe(expected);
    });
  });
}

describe("equivalent", () => {
  it.each([
    // §3.8: "The final "/" character may be omitted."
    ["telnet://joe@h", "telnet://joe@h/", true],
    ["telnet://h:23/", "telnet://H", true],
    ["telnet://joe@h/", "telnet://h/", false],
    ["nntp://H:119/comp.lang.c/10", "nntp://h/comp.lang.c/10", true],
    ["nntp://h/comp.lang.c", "nntp://h/Comp.lang.c", false],
    ["wais://h:0210/d", "wais://h/d", true],
    ["wais://h/", "wais://h", true],
    ["prospero://H:1525//pros/name", "prospero://h//pros/name", true],
    ["prospero://h//pros/name", "prospero://h/pros/name", false],
    // A message identifier is compared byte by byte (RFC 3977 §3.6). The part of a message identifier after the "@" is
    // not a host.
    ["news:a@Host.Example", "news:a@host.example", false],
    ["news:%61@host", "news:a@host", true],
    ["news:*", "NEWS:*", true],
    ["mailto:joe%40host", "mailto:joe@host", false],
    ["mailto:%6Aoe@host", "mailto:joe@host", true],
    // An unknown scheme may have any text after "//".
    ["x-any://h", "x-any://h/", false],
    ["x-any://H/%61", "X-any://h/a", true],
  ])("client.equal of %s and %s returns %s", (one, other, expected) => {
    expect(clientOfAllSchemes.equal(one, other)).toBe(expected);
    expect(clientOfAllSchemes.equal(other, one)).toBe(expected);
  });
});

describe("identical", () => {
  it.each([
    ["ftp://h/", "ftp://h/", true],
    ["ftp://h/#a", "ftp://h/#a", true],
    ["ftp://h/#a", "ftp://h/", false],
    ["ftp://h/", "FTP://h/", false],
    ["ftp://h/", "ftp://h", false],
  ])("client.equal compares the texts including the fragment: %s and %s", (one, other, expected) => {
    expect(clientOfAllSchemes.equal(one, other, "identical")).toBe(expected);
  });
});

describe("same-plan", () => {
  it.each([
    ["gopher://h/0%0A", "gopher://h/0%0a", "refused-characters"],
    ["file://Host.Example/a", "file://host.example/a", "unsupported"],
    ["x-any://h/", "x-any://h/", "unknown-scheme"],
  ])("client.equal throws for URLs without a plan: %s", (one, other, code) => {
    expect(clientOfAllSchemes.equal(one, other)).toBe(true);
    expect(() => clientOfAllSchemes.equal(one, other, "same-plan")).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });
});

describe("the normal form", () => {
  it.each([
    ["FTP://Joe:p%61ss@HOST.Example:0021", "ftp://Joe:pass@host.example/"],
    ["ftp://:@h:0/%2f/%7e;type=A", "ftp://:@h:0/%2F/%7E;type=A"],
    ["HTTP://H:080?q#f", "http://h/?q"],
    ["http://H/%2e%2E/%3b%00", "http://h/%3B%00"],
    ["gopher://H:70", "gopher://h/1"],
    ["gopher://h/%37%2f%2E%09%61%09%2b", "gopher://h/7%2F.%09a%09+"],
    ["gophers://h:0071/", "gophers://h:71/1"],
    ["file://LOCALHOST/%61", "file:///a"],
    ["file:/a", "file:///a"],
    ["ftp://a_b.EXAMPLE./", "ftp://a_b.example./"],
    ["http://h./?a=/&b=?#c", "http://h./?a=/&b=?"],
    ["ftp://[2001:DB8:0:0::1]:0021/a", "ftp://[2001:db8::1]/a"],
    // URLs with an unknown scheme are normalized only by the rules that apply to all URLs.
    ["X-Any:%61%2f%7e~", "x-any:a%2F%7E%7E"],
    ["x-any://Joe@HOST:0021", "x-any://Joe@host:0021"],
    ["x-any://HOST/", "x-any://host/"],
    ["x-any://A_B.:0021/%61", "x-any://a_b.:0021/a"],
    ["x-any:///%61%7e", "x-any:///a%7E"],
  ])("the normal form of %s is %s", (text, expected) => {
    const url = clientOfAllSchemes.parse(text);
    const syntax: Syntax =
      ALL_SYNTAXES.find(({ schemes }) => schemes.includes(url.scheme)) ?? createGenericSyntax();
    expect(syntax.normalize(url)).toBe(expected);
  });
});
