import type { SeededRandom } from "../measure/seeded-random.ts";
import { generateConformingUrl, generateWord } from "./generate-urls.ts";

/** The components of a conforming URL, one of which receives a deliberate error. */
interface Pieces {
  /** `http:` */
  readonly scheme: string;
  readonly host: string;
  /** The path, which begins with the "/" after the host. */
  readonly path: string;
}

type Spoil = (pieces: Pieces, random: SeededRandom) => string;

const hosted =
  (make: (host: string, random: SeededRandom) => string): Spoil =>
  ({ scheme, host, path }, random) =>
    `${scheme}//${make(host, random)}${path}`;

const within =
  (...wrong: string[]): Spoil =>
  ({ scheme, host, path }, random) => {
    const middle = 1 + random.integerBelow(path.length);
    return `${scheme}//${host}${path.slice(0, middle)}${random.pickFrom(wrong)}${path.slice(middle)}`;
  };

/**
 * The common errors of users and attackers in URLs. Each error affects one component of a URL that is
 * otherwise correct.
 */
const KINDS: Readonly<Record<string, Spoil>> = {
  "no scheme": ({ host, path }) => `${host}${path}`,
  "empty scheme": ({ host, path }) => `://${host}${path}`,
  "blank before the scheme": ({ scheme, host, path }) => ` ${scheme}//${host}${path}`,
  "strange scheme": ({ host, path }) => `ht_tp://${host}${path}`,
  "prefix of a wrapper": ({ scheme, host, path }) => `URL:${scheme}//${host}${path}`,
  "no slashes": ({ scheme, host, path }) => `${scheme}${host}${path}`,
  "one slash": ({ scheme, host, path }) => `${scheme}/${host}${path}`,
  "no host": ({ scheme, path }) => `${scheme}//${path}`,
  "empty label": hosted((host) => host.replace(".", "..")),
  "label with a hyphen first": hosted((host) => `-${host}`),
  "underscore in the host": hosted((host) => `my_${host}`),
  "dot after the host": hosted((host) => `${host}.`),
  "escape in the host": hosted((host) => `%77${host}`),
  "host beyond US-ASCII": hosted((host) => `bücher.${host}`),
  "host in full width": hosted((host) => `ｗｗｗ.${host}`),
  "host number with few groups": hosted((_, random) => `127.${random.integerBelow(256)}`),
  "host number in hexadecimal": hosted((_, random) => `0x7f.0.0.${random.integerBelow(256)}`),
  "host number in octal": hosted((_, random) => `0177.0.0.${random.integerBelow(256)}`),
  "host number too large": hosted((_, random) => `10.0.0.${256 + random.integerBelow(700)}`),
  "IPv6 address": hosted((_, random) => `[2001:db8::${random.integerBelow(10_000)}]`),
  "empty port": hosted((host) => `${host}:`),
  "port with letters": hosted((host) => `${host}:80a`),
  "port too large": hosted((host, random) => `${host}:${65_536 + random.integerBelow(100_000)}`),
  "login in http": ({ host, path }, random) =>
    `http://${generateWord(random)}:${generateWord(random)}@${host}${path}`,
  "two at signs": ({ host, path }, random) =>
    `ftp://${generateWord(random)}@${generateWord(random)}@${host}${path}`,
  "blank in the path": within(" "),
  "delimiter in the path": within("<", ">", '"'),
  "backslash in the path": within("\\"),
  "control in the path": within("\t", "\n", "\0"),
  "escape without digits": within("%zz", "%g0", "%%"),
  "unsafe in the path": within("~", "{", "}", "|", "^", "[", "]", "`"),
  "beyond US-ASCII in the path": within("é", "日本", "🐙"),
  "half a surrogate pair": within("\ud800"),
  fragment: ({ scheme, host, path }, random) => `${scheme}//${host}${path}#${generateWord(random)}`,
  typecode: ({ host, path }) => `ftp://${host}${path.replace(/[?;].*$/, "")};type=x`,
};

/** Returns a malformed URL with the scheme http, https or ftp. All kinds of errors occur equally often. */
export function generateMalformedUrl(random: SeededRandom): string {
  const spoil = random.pickFrom(Object.values(KINDS));
  return spoil(generateUrlComponents(random), random);
}

export const malformedUrlKindCount: number = Object.keys(KINDS).length;

function generateUrlComponents(random: SeededRandom): Pieces {
  for (;;) {
    const [, scheme, host, path] =
      /^((?:https?|ftp):)\/\/(?:[^/@]*@)?([a-z.]+)[^/]*(\/.*)$/.exec(generateConformingUrl(random)) ?? [];
    if (scheme && host && path) return { scheme, host, path };
  }
}
