import { isHost } from "@anyscheme/core/syntax";
import * as fc from "fast-check";

const HOSTS = [
  "h",
  "Host.Example",
  "a-b.C1",
  "127.0.0.1",
  "localhost",
  "a_b",
  "h.",
  "[::1]",
  "[0:0::A]",
  "bücher.example",
];
const PORTS = ["", "", ":", ":0", ":21", ":0080", ":70", ":443", ":65535", ":00065535"];
const LOGINS = ["", "", "@", ":@", "joe@", "J%6fe:p%40%2f%61@", "a?b@", ":%00@", "anonymous@"];
const ATOMS = [
  ..."aZ1/:@&=?+-._~{;é",
  ...[
    "%61",
    "%5a",
    "%31",
    "%2E",
    "%7e",
    "%2F",
    "%2f",
    "%3B",
    "%3f",
    "%09",
    "%00",
    "%0d",
    "%25",
    "%c3",
    "..",
    "41",
  ],
];

/** A way to write what follows the colon. */
const SHAPES = {
  login: fc.tuple(texts(LOGINS), texts(HOSTS), texts(PORTS), path()).map((parts) => `//${parts.join("")}`),
  hostport: fc.tuple(texts(HOSTS), texts(PORTS), path()).map((parts) => `//${parts.join("")}`),
  host: fc.tuple(texts([...HOSTS, ""]), path()).map((parts) => `//${parts.join("")}`),
  escapedHost: path().map((rest) => `//%48%6f${rest}`),
  rest: rest(),
};

/** Which of them a scheme may have; the others have a host and a port. */
const SHAPES_OF: Readonly<Record<string, readonly (keyof typeof SHAPES)[]>> = {
  ftp: ["login"],
  telnet: ["login"],
  file: ["host"],
  mailto: ["rest"],
  news: ["rest"],
  "x-any": ["login", "escapedHost", "rest"],
};

/** Texts that look like URLs of some schemes, most of which are; of an unknown scheme when there is none. */
export function urlTexts(schemes: readonly string[]): fc.Arbitrary<string> {
  const names = schemes.length === 0 ? ["x-any"] : schemes;
  return fc.oneof(
    ...names.flatMap((name) =>
      (SHAPES_OF[name] ?? ["hostport"]).map((shape) => SHAPES[shape].map((part) => `${name}:${part}`)),
    ),
  );
}

/** The same URL in another spelling: letters of the scheme, the host and escapes in another case, other characters escaped. */
export function respelled(text: string, choose: (place: string) => boolean): string {
  const [, scheme = "", before = "", host = "", port = "", rest = ""] =
    /^([^:]*):(\/\/(?:[^/@]*@)?)?((?:(?<=\/\/[^/]*)(?:\[[^\]]*\]|[^/:?#]*))?)((?:(?<=\/\/.*):\d+)?)(.*)$/su.exec(
      text,
    ) ?? [];
  // Of an unknown scheme, only what conforms to §3.1 is a host.
  const unknown = scheme === "x-any" && !(isHost(host) && /^(?:[/#]|$)/.test(rest));
  const opaque = unknown || scheme === "news" || scheme === "mailto";
  return [
    choose("scheme") ? scheme.toUpperCase() : scheme,
    ":",
    inEitherCase(before, choose),
    opaque || !choose("host") ? host : host.toUpperCase(),
    choose("port") && !opaque && Object.hasOwn(DEFAULT_PORTS, scheme)
      ? otherPort(port, DEFAULT_PORTS[scheme])
      : port,
    opaque ? inEitherCase(rest, choose) : inEitherCase(otherEscapes(rest, choose), choose),
  ].join("");
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  ftp: 21,
  http: 80,
  https: 443,
  gopher: 70,
  gophers: 70,
};

function otherPort(port: string, defaultPort: number | undefined): string {
  return port === "" ? `:${defaultPort}` : `:00${port.slice(1)}`;
}

function inEitherCase(text: string, choose: (place: string) => boolean): string {
  return text.replace(/%[0-9A-Fa-f]{2}/g, (triplet, at) =>
    choose(`case ${at}`) ? triplet.toUpperCase() : triplet.toLowerCase(),
  );
}

/** Encodes letters before the first ";", behind which they may be keywords, and decodes encoded ones. */
function otherEscapes(text: string, choose: (place: string) => boolean): string {
  const end = /[;#]|$/.exec(text)?.index ?? 0;
  const changed = text.slice(0, end).replace(/%[0-9A-Fa-f]{2}|[A-Za-z0-9]/g, (part, at) => {
    if (!choose(`escape ${at}`)) return part;
    if (part.length === 1) return `%${part.charCodeAt(0).toString(16)}`;
    const character = String.fromCharCode(Number.parseInt(part.slice(1), 16));
    return /[A-Za-z0-9$\-_.+!*'(),]/.test(character) ? character : part;
  });
  return changed + text.slice(end);
}

function texts(list: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...list);
}

function rest(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.array(fc.constantFrom(...ATOMS), { maxLength: 8 }),
      fc.constantFrom("", "", ";type=a", ";a=b", "#f", "a@H"),
    )
    .map(([atoms, end]) => atoms.join("") + end);
}

function path(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom("", "/"),
    rest().map((text) => `/${text}`),
  );
}
