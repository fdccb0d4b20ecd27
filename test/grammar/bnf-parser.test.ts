import { describe, expect, it } from "vitest";
import { type GrammarExpression, listReferencedProductions, parseBnfGrammar } from "./bnf-parser.ts";
import { RFC1738_GRAMMAR } from "./rfc1738-grammar.ts";

/** Returns an expression as text, with `1*(…)` for repetitions and `(…)?` for optional parts. */
function formatExpression(expression: GrammarExpression | undefined): string {
  switch (expression?.kind) {
    case "literal":
      return `'${expression.text}'`;
    case "name":
      return expression.name;
    case "optional":
      return `(${formatExpression(expression.part)})?`;
    case "repeat":
      return `${expression.minRepetitions}*(${formatExpression(expression.part)})`;
    case "sequence":
      return expression.parts.map(formatExpression).join(" ");
    case "choice":
      return expression.parts.map(formatExpression).join(" | ");
    default:
      return "";
  }
}

describe("the parsed grammar of RFC 1738 §5", () => {
  // The names of the productions, in the order of the RFC.
  const names = `genericurl url otherurl scheme schemepart ip-schemepart login hostport host hostname domainlabel toplabel
    alphadigit hostnumber port user password urlpath ftpurl fpath fsegment ftptype fileurl httpurl hpath hsegment search
    gopherurl gtype selector gopher+_string mailtourl encoded822addr newsurl grouppart group article nntpurl telneturl
    waisurl waisdatabase waisindex waisdoc database wtype wpath prosperourl ppath psegment fieldspec fieldname fieldvalue
    lowalpha hialpha alpha digit safe extra national punctuation reserved hex escape unreserved uchar xchar digits`;

  it("the parsed grammar has the productions of the RFC in their order", () => {
    expect([...RFC1738_GRAMMAR.keys()]).toEqual(names.split(/\s+/));
  });

  it("the grammar refers to every production except the start symbol and the characters that must be escaped", () => {
    const used = new Set([...RFC1738_GRAMMAR.values()].flatMap(listReferencedProductions));
    expect([...RFC1738_GRAMMAR.keys()].filter((name) => !used.has(name))).toEqual([
      "url",
      "national",
      "punctuation",
    ]);
  });

  // Productions with unusual notation in the RFC, and their parsed form.
  const unusualProductions: [feature: string, name: string, expression: string][] = [
    ["a plain sequence", "genericurl", "scheme ':' schemepart"],
    ["brackets around a repeated group", "scheme", "1*(lowalpha | digit | '+' | '-' | '.')"],
    ["a repeated name before an alternative", "schemepart", "0*(xchar) | ip-schemepart"],
    ["nested optional parts", "login", "(user (':' password)? '@')? hostport"],
    ["a repeated group of two elements", "hostname", "0*(domainlabel '.') toplabel"],
    ["sequences in alternatives", "toplabel", "alpha | alpha 0*(alphadigit | '-') alphadigit"],
    ["a comment on the same line", "urlpath", "0*(xchar)"],
    ["a quoted semicolon", "user", "0*(uchar | ';' | '?' | '&' | '=')"],
    ["a semicolon in a literal", "ftpurl", "'ftp://' login ('/' fpath (';type=' ftptype)?)?"],
    [
      "a slash without quotes, and a name with + and _",
      "gopherurl",
      "'gopher://' hostport ('/' (gtype (selector ('%09' search ('%09' gopher+_string)?)?)?)?)?",
    ],
    ["a comment after many spaces", "encoded822addr", "1*(xchar)"],
    ["a quoted star", "grouppart", "'*' | group | article"],
    [
      "the literals '|', '[' and '\\', which are not operators",
      "national",
      "'{' | '}' | '|' | '\\' | '^' | '~' | '[' | ']' | '`'",
    ],
    ["the quotation mark as a literal", "punctuation", `'<' | '>' | '#' | '%' | '"'`],
    ["a repetition mark before a name without brackets", "digits", "1*(digit)"],
  ];

  it.each(unusualProductions)("the grammar parser parses %s in the production %s", (_, name, expression) => {
    expect(formatExpression(RFC1738_GRAMMAR.get(name))).toBe(expression);
  });

  it("the parsed grammar has alternatives from continuation lines, which end at an empty line or a production", () => {
    const counts = ["url", "lowalpha", "hialpha", "digit", "hex"].map((name) => {
      const expression = RFC1738_GRAMMAR.get(name);
      return expression?.kind === "choice" ? expression.parts.length : 0;
    });
    expect(counts).toEqual([11, 26, 26, 10, 13]);
  });
});

describe("the grammar parser rejects errors, and merges grammars", () => {
  const invalidGrammars: [text: string, message: RegExp][] = [
    ["a = b", /a uses b/],
    ['a = "x"\na = "y"', /a is defined twice/],
    ['a = "x" |', /an alternative of a is empty/],
    ['a = [ "x"', /the production a has a "\[" without a "]"/],
    ['a = "x" ]', /the production a has a "]" without a "\["/],
    ['a = "x" *', /the production a is incomplete/],
    ["a = 'x'", /not in the notation of RFC 1738/],
    ['a = "x"\nand prose', /neither a production/],
    ['a = "x"\n\n  "y"', /neither a production/],
  ];

  it.each(invalidGrammars)("the grammar parser rejects the grammar %j", (text, message) => {
    expect(() => parseBnfGrammar(text)).toThrow(message);
  });

  it("the grammar parser replaces and extends the productions of a base grammar", () => {
    const base = parseBnfGrammar('a = "x" b\nb = "y"');
    const merged = parseBnfGrammar('b = "z" c ; new\nc = b2\nb2 = "1"', base);
    expect([...merged].map(([name, expression]) => `${name} = ${formatExpression(expression)}`)).toEqual([
      "a = 'x' b",
      "b = 'z' c",
      "c = b2",
      "b2 = '1'",
    ]);
  });
});
