import type { Random } from "../measure/random.ts";

const syllables =
  "al be cor dan el fi gra hu in jo kel lu mar no or pel qui ro sta tu ul ver wen xi yor zan".split(" ");

/** Returns a random word of one to four syllables. */
export function word(random: Random): string {
  let text = random.pick(syllables);
  for (let more = random.below(4); more > 0; more--) text += random.pick(syllables);
  return text;
}

function words(random: Random, least: number, most: number, separator: string): string {
  return Array.from({ length: least + random.below(most - least + 1) }, () => word(random)).join(separator);
}

function host(random: Random): string {
  const name = `${words(random, 1, 3, ".")}.${random.pick(["com", "org", "net", "edu", "de", "ac.uk"])}`;
  return random.oneIn(3) ? `www.${name}` : name;
}

function port(random: Random, often: number): string {
  return random.oneIn(often) ? `:${1024 + random.below(9000)}` : "";
}

function segment(random: Random): string {
  const text = words(random, 1, 2, random.pick(["-", "_", ".", "%20", ""]));
  return random.oneIn(4) ? `${text}${random.below(10_000)}` : text;
}

function path(random: Random, most: number): string {
  const segments = Array.from({ length: 1 + random.below(most) }, () => segment(random)).join("/");
  return random.oneIn(2) ? `${segments}.${random.pick(["html", "txt", "tar.gz", "ps.Z", "jpeg"])}` : segments;
}

function search(random: Random): string {
  const pairs = Array.from({ length: 1 + random.below(6) }, () => `${word(random)}=${segment(random)}`);
  return `?${pairs.join("&")}`;
}

function web(scheme: string, random: Random): string {
  const start = `${scheme}://${host(random)}${port(random, 12)}`;
  if (random.oneIn(12)) return `${start}/`;
  return `${start}/${path(random, 8)}${random.oneIn(2) ? search(random) : ""}`;
}

function ftp(random: Random): string {
  const login = random.below(10) < 3 ? `${word(random)}${random.oneIn(2) ? `:${word(random)}` : ""}@` : "";
  const type = random.below(10) < 3 ? `;type=${random.pick(["a", "i", "d"])}` : "";
  return `ftp://${login}${host(random)}${port(random, 20)}/${path(random, 7)}${type}`;
}

function gopher(random: Random): string {
  const query = random.oneIn(5) ? `%09${word(random)}` : "";
  return `gopher://${host(random)}${port(random, 6)}/${random.pick(["0", "1", "7", "9"])}/${path(random, 5)}${query}`;
}

function article(random: Random): string {
  return `${random.below(1e6)}.${word(random)}${random.below(1e6)}@${host(random)}`;
}

/** Each kind of URL and its share in percent. */
const KINDS: readonly (readonly [share: number, make: (random: Random) => string])[] = [
  [40, (random) => web("http", random)],
  [20, (random) => web("https", random)],
  [13, ftp],
  [6, gopher],
  [6, (random) => `mailto:${words(random, 1, 2, ".")}@${host(random)}`],
  [3, (random) => `news:${words(random, 2, 4, ".")}`],
  [3, (random) => `news:${article(random)}`],
  [2, (random) => `nntp://${host(random)}/${words(random, 2, 4, ".")}/${random.below(1e6)}`],
  [2, (random) => `telnet://${host(random)}${port(random, 2)}/`],
  [2, (random) => `wais://${host(random)}/${word(random)}${random.oneIn(2) ? `?${word(random)}` : ""}`],
  [2, (random) => `file://${random.oneIn(2) ? host(random) : ""}/${path(random, 6)}`],
  [1, (random) => `prospero://${host(random)}//pros/${path(random, 4)};version=${random.below(9)}`],
];

/** Returns a conforming URL of a common kind. None ends in punctuation. */
export function conformingUrl(random: Random): string {
  let ticket = random.below(100);
  for (const [share, make] of KINDS) {
    if (ticket < share) return make(random);
    ticket -= share;
  }
  throw new RangeError("the shares do not add up to 100");
}
