import type { SeededRandom } from "../measure/seeded-random.ts";
import { generateConformingUrl, generateWord } from "./generate-urls.ts";

/** The components of a conforming URL, one of which receives a deliberate error. */
interface UrlComponents {
  /** The scheme with its colon, as in `http:`. */
  readonly scheme: string;
  readonly host: string;
  /** The path, which begins with the "/" after the host. */
  readonly path: string;
}

type UrlCorruption = (pieces: UrlComponents, random: SeededRandom) => string;

const createHostCorruption =
  (make: (host: string, random: SeededRandom) => string): UrlCorruption =>
  ({ scheme, host, path }, random) =>
    `${scheme}//${make(host, random)}${path}`;

const createPathCorruption =
  (...wrong: string[]): UrlCorruption =>
  ({ scheme, host, path }, random) => {
    const middle = 1 + random.integerBelow(path.length);
    return `${scheme}//${host}${path.slice(0, middle)}${random.pickFrom(wrong)}${path.slice(middle)}`;
  };

/**
 * The common errors of users and attackers in URLs. Each error affects one component of a URL that is
 * otherwise correct.
 */
const URL_CORRUPTIONS: Readonly<Record<string, UrlCorruption>> = {
  "no scheme": ({ host, path }) => `${host}${path}`,
  "empty scheme": ({ host, path }) => `://${host}${path}`,
  "blank before the scheme": ({ scheme, host, path }) => ` ${scheme}//${host}${path}`,
  "underscore in the scheme": ({ host, path }) => `ht_tp://${host}${path}`,
  "prefix of a wrapper": ({ scheme, host, path }) => `URL:${scheme}//${host}${path}`,
  "no slashes": ({ scheme, host, path }) => `${scheme}${host}${path}`,
  "one slash": ({ scheme, host, path }) => `${scheme}/${host}${path}`,
  "no host": ({ scheme, path }) => `${scheme}//${path}`,
  "empty label": createHostCorruption((host) => host.replace(".", "..")),
  "label that begins with a hyphen": createHostCorruption((host) => `-${host}`),
  "underscore in the host": createHostCorruption((host) => `my_${host}`),
  "dot after the host": createHostCorruption((host) => `${host}.`),
  "escape in the host": createHostCorruption((host) => `%77${host}`),
  "non-ASCII character in the host": createHostCorruption((host) => `bücher.${host}`),
  "host in full-width characters": createHostCorruption((host) => `ｗｗｗ.${host}`),
  "host with too few numbers": createHostCorruption((_, random) => `127.${random.integerBelow(256)}`),
  "host number in hexadecimal": createHostCorruption((_, random) => `0x7f.0.0.${random.integerBelow(256)}`),
  "host number in octal": createHostCorruption((_, random) => `0177.0.0.${random.integerBelow(256)}`),
  "host number too large": createHostCorruption((_, random) => `10.0.0.${256 + random.integerBelow(700)}`),
  "IPv6 address": createHostCorruption((_, random) => `[2001:db8::${random.integerBelow(10_000)}]`),
  "empty port": createHostCorruption((host) => `${host}:`),
  "port with letters": createHostCorruption((host) => `${host}:80a`),
  "port too large": createHostCorruption(
    (host, random) => `${host}:${65_536 + random.integerBelow(100_000)}`,
  ),
  "login in http": ({ host, path }, random) =>
    `http://${generateWord(random)}:${generateWord(random)}@${host}${path}`,
  "two at signs": ({ host, path }, random) =>
    `ftp://${generateWord(random)}@${generateWord(random)}@${host}${path}`,
  "blank in the path": createPathCorruption(" "),
  "delimiter in the path": createPathCorruption("<", ">", '"'),
  "backslash in the path": createPathCorruption("\\"),
  "control character in the path": createPathCorruption("\t", "\n", "\0"),
  "escape without digits": createPathCorruption("%zz", "%g0", "%%"),
  "unsafe character in the path": createPathCorruption("~", "{", "}", "|", "^", "[", "]", "`"),
  "non-ASCII character in the path": createPathCorruption("é", "日本", "🐙"),
  "half a surrogate pair": createPathCorruption("\ud800"),
  fragment: ({ scheme, host, path }, random) => `${scheme}//${host}${path}#${generateWord(random)}`,
  typecode: ({ host, path }) => `ftp://${host}${path.replace(/[?;].*$/, "")};type=x`,
};

/** Returns an http, https or ftp URL with one error. All kinds of errors occur equally often. */
export function generateMalformedUrl(random: SeededRandom): string {
  const spoil = random.pickFrom(Object.values(URL_CORRUPTIONS));
  return spoil(generateUrlComponents(random), random);
}

export const malformedUrlKindCount: number = Object.keys(URL_CORRUPTIONS).length;

function generateUrlComponents(random: SeededRandom): UrlComponents {
  for (;;) {
    const [, scheme, host, path] =
      /^((?:https?|ftp):)\/\/(?:[^/@]*@)?([a-z.]+)[^/]*(\/.*)$/.exec(generateConformingUrl(random)) ?? [];
    if (scheme && host && path) return { scheme, host, path };
  }
}
