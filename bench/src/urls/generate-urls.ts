import type { SeededRandom } from "../measure/seeded-random.ts";

const syllables =
  "al,be,cor,dan,el,fi,gra,hu,in,jo,kel,lu,mar,no,or,pel,qui,ro,sta,tu,ul,ver,wen,xi,yor,zan".split(",");

/** Returns a random word of one to four syllables. */
export function generateWord(random: SeededRandom): string {
  let text = random.pickFrom(syllables);
  for (let more = random.integerBelow(4); more > 0; more--) text += random.pickFrom(syllables);
  return text;
}

function generateWords(random: SeededRandom, least: number, most: number, separator: string): string {
  return Array.from({ length: least + random.integerBelow(most - least + 1) }, () =>
    generateWord(random),
  ).join(separator);
}

function generateHost(random: SeededRandom): string {
  const name = `${generateWords(random, 1, 3, ".")}.${random.pickFrom(["com", "org", "net", "edu", "de", "ac.uk"])}`;
  return random.trueOneTimeIn(3) ? `www.${name}` : name;
}

function generatePort(random: SeededRandom, often: number): string {
  return random.trueOneTimeIn(often) ? `:${1024 + random.integerBelow(9000)}` : "";
}

function generatePathSegment(random: SeededRandom): string {
  const text = generateWords(random, 1, 2, random.pickFrom(["-", "_", ".", "%20", ""]));
  return random.trueOneTimeIn(4) ? `${text}${random.integerBelow(10_000)}` : text;
}

function generatePath(random: SeededRandom, most: number): string {
  const segments = Array.from({ length: 1 + random.integerBelow(most) }, () =>
    generatePathSegment(random),
  ).join("/");
  return random.trueOneTimeIn(2)
    ? `${segments}.${random.pickFrom(["html", "txt", "tar.gz", "ps.Z", "jpeg"])}`
    : segments;
}

function generateQuery(random: SeededRandom): string {
  const pairs = Array.from(
    { length: 1 + random.integerBelow(6) },
    () => `${generateWord(random)}=${generatePathSegment(random)}`,
  );
  return `?${pairs.join("&")}`;
}

function generateWebUrl(scheme: string, random: SeededRandom): string {
  const start = `${scheme}://${generateHost(random)}${generatePort(random, 12)}`;
  if (random.trueOneTimeIn(12)) return `${start}/`;
  return `${start}/${generatePath(random, 8)}${random.trueOneTimeIn(2) ? generateQuery(random) : ""}`;
}

function generateFtpUrl(random: SeededRandom): string {
  const login =
    random.integerBelow(10) < 3
      ? `${generateWord(random)}${random.trueOneTimeIn(2) ? `:${generateWord(random)}` : ""}@`
      : "";
  const type = random.integerBelow(10) < 3 ? `;type=${random.pickFrom(["a", "i", "d"])}` : "";
  return `ftp://${login}${generateHost(random)}${generatePort(random, 20)}/${generatePath(random, 7)}${type}`;
}

function generateGopherUrl(random: SeededRandom): string {
  const query = random.trueOneTimeIn(5) ? `%09${generateWord(random)}` : "";
  return `gopher://${generateHost(random)}${generatePort(random, 6)}/${random.pickFrom(["0", "1", "7", "9"])}/${generatePath(random, 5)}${query}`;
}

function generateArticleUrl(random: SeededRandom): string {
  return `${random.integerBelow(1e6)}.${generateWord(random)}${random.integerBelow(1e6)}@${generateHost(random)}`;
}

/** The generators of each kind of URL, with the share of the kind in percent. */
const URL_GENERATORS: readonly (readonly [share: number, make: (random: SeededRandom) => string])[] = [
  [40, (random) => generateWebUrl("http", random)],
  [20, (random) => generateWebUrl("https", random)],
  [13, generateFtpUrl],
  [6, generateGopherUrl],
  [6, (random) => `mailto:${generateWords(random, 1, 2, ".")}@${generateHost(random)}`],
  [3, (random) => `news:${generateWords(random, 2, 4, ".")}`],
  [3, (random) => `news:${generateArticleUrl(random)}`],
  [
    2,
    (random) =>
      `nntp://${generateHost(random)}/${generateWords(random, 2, 4, ".")}/${random.integerBelow(1e6)}`,
  ],
  [2, (random) => `telnet://${generateHost(random)}${generatePort(random, 2)}/`],
  [
    2,
    (random) =>
      `wais://${generateHost(random)}/${generateWord(random)}${random.trueOneTimeIn(2) ? `?${generateWord(random)}` : ""}`,
  ],
  [2, (random) => `file://${random.trueOneTimeIn(2) ? generateHost(random) : ""}/${generatePath(random, 6)}`],
  [
    1,
    (random) =>
      `prospero://${generateHost(random)}//pros/${generatePath(random, 4)};version=${random.integerBelow(9)}`,
  ],
];

/** Returns a conforming URL of a random kind. No URL ends in punctuation other than a slash. */
export function generateConformingUrl(random: SeededRandom): string {
  let ticket = random.integerBelow(100);
  for (const [share, make] of URL_GENERATORS) {
    if (ticket < share) return make(random);
    ticket -= share;
  }
  throw new RangeError("the shares do not add up to 100");
}
