import { describe, expect, it } from "vitest";
import { type Expression, namesIn, readGrammar } from "./bnf.ts";
import { SECTION_5 } from "./rfc1738-grammar.ts";

/** Returns an expression in one line, for comparison: `1*(…)` for repetitions, `(…)?` for options. */
function shown(expression: Expression | undefined): string {
  switch (expression?.kind) {
    case "literal":
      return `'${expression.text}'`;
    case "name":
      return expression.name;
    case "optional":
      return `(${shown(expression.part)})?`;
    case "repeat":
      return `${expression.least}*(${shown(expression.part)})`;
    case "sequence":
      return expression.parts.map(shown).join(" ");
    case "choice":
      return expression.parts.map(shown).join(" | ");
    default:
      return "";
  }
}

describe("the BNF of RFC 1738 §5", () => {
  // The names in the order of the RFC.
  const names = `genericurl url otherurl scheme schemepart ip-schemepart login hostport host hostname domainlabel toplabel
    alphadigit hostnumber port user password urlpath ftpurl fpath fsegment ftptype fileurl httpurl hpath hsegment search
    gopherurl gtype selector gopher+_string mailtourl encoded822addr newsurl grouppart group article nntpurl telneturl
    waisurl waisdatabase waisindex waisdoc database wtype wpath prosperourl ppath psegment fieldspec fieldname fieldvalue
    lowalpha hialpha alpha digit safe extra national punctuation reserved hex escape unreserved uchar xchar digits`;

  it("has these productions", () => {
    expect([...SECTION_5.keys()]).toEqual(names.split(/\s+/));
  });

  it("uses all of them but the start and the characters that are never written as they are", () => {
    const used = new Set([...SECTION_5.values()].flatMap(namesIn));
    expect([...SECTION_5.keys()].filter((name) => !used.has(name))).toEqual([
      "url",
      "national",
      "punctuation",
    ]);
  });

  // The irregular places of the notation, each as it is printed in the RFC.
  const odd: [what: string, name: string, expression: string][] = [
    ["a plain sequence", "genericurl", "scheme ':' schemepart"],
    ["brackets that group what is repeated", "scheme", "1*(lowalpha | digit | '+' | '-' | '.')"],
    ["a repeated name, and a loose alternative", "schemepart", "0*(xchar) | ip-schemepart"],
    ["options in options", "login", "(user (':' password)? '@')? hostport"],
    ["a group of two", "hostname", "0*(domainlabel '.') toplabel"],
    ["sequences in alternatives", "toplabel", "alpha | alpha 0*(alphadigit | '-') alphadigit"],
    ["a comment behind a production", "urlpath", "0*(xchar)"],
    ["a quoted semicolon", "user", "0*(uchar | ';' | '?' | '&' | '=')"],
    ["a semicolon in a literal", "ftpurl", "'ftp://' login ('/' fpath (';type=' ftptype)?)?"],
    [
      "a slash without quotes, and a name with + and _",
      "gopherurl",
      "'gopher://' hostport ('/' (gtype (selector ('%09' search ('%09' gopher+_string)?)?)?)?)?",
    ],
    ["a comment that follows after blanks", "encoded822addr", "1*(xchar)"],
    ["a quoted star", "grouppart", "'*' | group | article"],
    ["the quotes of |, [ and \\", "national", "'{' | '}' | '|' | '\\' | '^' | '~' | '[' | ']' | '`'"],
    ["the quote itself", "punctuation", `'<' | '>' | '#' | '%' | '"'`],
    ["a repeated name without brackets", "digits", "1*(digit)"],
  ];

  it.each(odd)("has %s: %s", (_, name, expression) => {
    expect(shown(SECTION_5.get(name))).toBe(expression);
  });

  it("has continuation lines, up to the next blank or production", () => {
    const counts = ["url", "lowalpha", "hialpha", "digit", "hex"].map((name) => {
      const expression = SECTION_5.get(name);
      return expression?.kind === "choice" ? expression.parts.length : 0;
    });
    expect(counts).toEqual([11, 26, 26, 10, 13]);
  });
});

describe("the reader of the notation", () => {
  const faulty: [text: string, message: RegExp][] = [
    ["a = b", /a uses b/],
    ['a = "x"\na = "y"', /a is defined twice/],
    ['a = "x" |', /an alternative of a is empty/],
    ['a = [ "x"', /a bracket of a is not closed/],
    ['a = "x" ]', /a bracket of a is not opened/],
    ['a = "x" *', /a stops short/],
    ["a = 'x'", /not in the notation/],
    ['a = "x"\nand prose', /neither a production/],
    ['a = "x"\n\n  "y"', /neither a production/],
  ];

  it.each(faulty)("refuses %j", (text, message) => {
    expect(() => readGrammar(text)).toThrow(message);
  });

  it("puts productions in the place of those of another grammar", () => {
    const base = readGrammar('a = "x" b\nb = "y"');
    const read = readGrammar('b = "z" c ; new\nc = b2\nb2 = "1"', base);
    expect([...read].map(([name, expression]) => `${name} = ${shown(expression)}`)).toEqual([
      "a = 'x' b",
      "b = 'z' c",
      "c = b2",
      "b2 = '1'",
    ]);
  });
});
