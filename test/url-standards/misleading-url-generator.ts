import * as fc from "fast-check";

/** Characters at which parsers end or split an authority, and their look-alikes and escapes. */
const DELIMITERS = [
  ...Array.from("@@??##//\\\\::%[]&=;|^<>\"'`{} \t\n\r\0\x7f\x80\u00a0"),
  ..."// :// @@ :: /@ ?@ #@ \\@ %40 %2F %2f %3A %23 %3F %5C %5c %25 %00 %2E %C3%A9 %ff".split(" "),
  ..."\u2044 \u2215 \uff0f \uff1a \uff20 \uff03 \uff1f \uff3c \u2488 \ufe6b \u3002 \uff0e \uff61".split(" "),
];

/** Labels, IP addresses and parts of both, from which host names are built. */
const HOST_NAME_PIECES = [
  ..."a,b.c,good,evil,Host.Example,localhost,LOCALHOST,a_b,-a,a-,a--b,.,..,._,1,7f,0,00,010,256,0x7f,0X,0x,1e1".split(
    ",",
  ),
  ..."127.0.0.1 127.1 127.0.0.1. 0x7f.1 1.2.3 1.2.3.4.5 2130706433 017700000001 255.255.255.255 1.2.3.04".split(
    " ",
  ),
  ..."[::1] [::] [::ffff:127.0.0.1] [1:2:0:0:0:0:0:3] [fe80::1%25a] [v1.a] [::1 ::1] [:1]".split(" "),
  ..."xn-- XN--A xn--a xn--fa-hia xn--FA-HIA xn--n3h xn--80ak6aa92e xn--0 xn--a-ecp.ru xn--1ch xn--zca xn--maana-pta".split(
    " ",
  ),
  ..."faß ß ẞ ς σ Σ é e\u0301 É ı İ I\u0307 ſ K K ﬀ Ａ ａ ① ² ½ ℡ ㏕ ☃ 😀 א ا ١ ۰ ০ ं \u00ad \u200b \u200c \u200d \u2060 \ufe0f \ufeff \ud800 \udc00".split(
    " ",
  ),
];

/** Hosts that modern mode accepts. */
const VALID_HOSTS =
  "a,b.c,good.example,Evil.Example,LOCALHOST,a_b,-a,a-,a.,127.0.0.1,[::1],[0:0::FFFF:127.0.0.1],faß,ΣΑΣ,é.É,xn--fa-hia,XN--N3H,☃,אא".split(
    ",",
  );
const PORT_SUFFIXES = [
  "",
  ":",
  ":0",
  ":80",
  ":0080",
  ":21",
  ":443",
  ":65535",
  ":65536",
  ":080",
  ":8a",
  ":-1",
  ":٨٠",
];
const LOGIN_PREFIXES = [
  "user@",
  "u:p@",
  ":@",
  "@",
  "u:@",
  ":p@",
  "a?b@",
  "a#b@",
  "a/b@",
  "a\\b@",
  "a%40b@",
  "good.example@",
];
const PATH_SUFFIXES = [
  "",
  "/",
  "/a",
  "/a/../b",
  "?q",
  "#f",
  "/1a%09b",
  "/a@b",
  "//evil/",
  "/@evil",
  "?@evil/",
  "\\@evil/",
  "*",
];
const SLASH_SEQUENCES = ["", "/", "///", "\\\\", "/\\", "//\\", " //", "//\t"];

/**
 * Generates texts of a scheme in which parsers could see several hosts. About a third of the generated texts are valid
 * URLs.
 */
export function arbitraryMisleadingUrls(scheme: string): fc.Arbitrary<string> {
  const host = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...VALID_HOSTS) },
    { weight: 2, arbitrary: fc.constantFrom(...HOST_NAME_PIECES) },
    { weight: 2, arbitrary: arbitraryConcatenation(fc.constantFrom(...VALID_HOSTS, ...HOST_NAME_PIECES), 3) },
    { weight: 1, arbitrary: arbitraryConcatenation(fc.constantFrom(...HOST_NAME_PIECES, ...DELIMITERS), 4) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 3 }) },
  );
  const url = fc
    .tuple(
      fc.constantFrom(scheme, scheme, scheme.toUpperCase(), ` ${scheme}`),
      arbitraryMostlyUsual("//", SLASH_SEQUENCES),
      arbitraryMostlyUsual("", LOGIN_PREFIXES),
      host,
      arbitraryMostlyUsual("", PORT_SUFFIXES),
      fc.constantFrom(...PATH_SUFFIXES),
    )
    .map(
      ([name, slashes, login, written, port, path]) => `${name}:${slashes}${login}${written}${port}${path}`,
    );
  const insertion = fc.tuple(fc.nat({ max: 60 }), fc.constantFrom(...DELIMITERS, ...HOST_NAME_PIECES));
  const insertions = arbitraryMostlyUsual([], fc.array(insertion, { minLength: 1, maxLength: 2 }));
  return fc.tuple(url, insertions).map(([text, pieces]) =>
    pieces.reduce((changed, [position, inserted]) => {
      const index = position % (changed.length + 1);
      return changed.slice(0, index) + inserted + changed.slice(index);
    }, text),
  );
}

/** Generates the usual value of a URL component in three of four cases. */
function arbitraryMostlyUsual<T>(usual: T, others: readonly T[] | fc.Arbitrary<T>): fc.Arbitrary<T> {
  const arbitrary = others instanceof fc.Arbitrary ? others : fc.constantFrom(...others);
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
}

function arbitraryConcatenation(piece: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  return fc.array(piece, { maxLength }).map((pieces) => pieces.join(""));
}
