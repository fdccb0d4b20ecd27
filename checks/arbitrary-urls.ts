import { genericSyntax } from "@anyscheme/core/syntax";
import * as fc from "fast-check";

/** A condition for each place of a text. */
export type Choose = (place: string) => boolean;

const UNKNOWN = "x-any";
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  ftp: 21,
  http: 80,
  https: 443,
  gopher: 70,
  gophers: 70,
  nntp: 119,
  telnet: 23,
  wais: 210,
  prospero: 1525,
};

const hosts = fc.constantFrom(
  ..."h Host.Example a-b.C1 127.0.0.1 localhost a_b h. [::1] [0:0::A] bücher.example".split(" "),
);
const ports = fc.constantFrom("", "", ":", ":0", ":21", ":0080", ":70", ":443", ":65535", ":00065535");
const logins = fc.constantFrom("", "", "@", ":@", "joe@", "J%6fe:p%40%2f%61@", "a?b@", ":%00@", "anonymous@");
const pieces = fc.constantFrom(
  ...Array.from("aZ1/:@&=?+-._~{;é"),
  ..."%61 %5a %31 %2E %7e %2F %2f %3B %3f %09 %00 %0d %25 %c3 .. 41".split(" "),
);
const endings = fc.constantFrom("", "", ";type=a", ";a=b", "#f", "a@H");
const rest = fc.tuple(fc.array(pieces, { maxLength: 8 }), endings).map(([some, end]) => some.join("") + end);
const path = fc.oneof(
  fc.constantFrom("", "/"),
  rest.map((text) => `/${text}`),
);

/** The ways to write what follows the colon. */
const SHAPES = {
  login: joined(logins, hosts, ports, path),
  hostport: joined(hosts, ports, path),
  host: joined(fc.oneof(hosts, fc.constant("")), path),
  escapedHost: joined(fc.constant("%48%6f"), path),
  rest,
};

/** Which of them a scheme may have; the others have a host and a port. */
const SHAPES_OF: Readonly<Record<string, readonly (keyof typeof SHAPES)[]>> = {
  ftp: ["login"],
  telnet: ["login"],
  file: ["host"],
  mailto: ["rest"],
  news: ["rest"],
  [UNKNOWN]: ["login", "escapedHost", "rest"],
};

function joined(...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((texts) => `//${texts.join("")}`);
}

/** Texts that look like URLs of some schemes, most of which are; of an unknown scheme when none is named. */
export function urlTexts(schemes: readonly string[]): fc.Arbitrary<string> {
  const names = schemes.length === 0 ? [UNKNOWN] : schemes;
  const forms = names.flatMap((name) =>
    (SHAPES_OF[name] ?? ["hostport"]).map((shape) => SHAPES[shape].map((part) => `${name}:${part}`)),
  );
  return fc.oneof(...forms);
}

/** The same URL in another spelling. */
export function respelled(text: string, choose: Choose): string {
  const scheme = text.slice(0, text.indexOf(":"));
  const start = choose("scheme") ? scheme.toUpperCase() : scheme;
  const schemePart = text.slice(scheme.length + 1);
  if (!hasAuthority(scheme, text)) return `${start}:${inEitherCase(schemePart, choose)}`;
  const [, login = "", host = "", port = "", path = ""] =
    /^\/\/([^/]*@)?(\[[^\]]*\]|[^/:#]*)(:\d+)?(.*)$/s.exec(schemePart) ?? [];
  return [
    `${start}://`,
    inEitherCase(otherEscapes(login, choose), choose),
    choose("host") ? host.toUpperCase() : host,
    choose("port") ? otherPort(port, DEFAULT_PORTS[scheme]) : port,
    inEitherCase(otherEscapes(path, choose), choose),
  ].join("");
}

/** Whether the text has a host that is known to be one. */
function hasAuthority(scheme: string, text: string): boolean {
  if (scheme === UNKNOWN) return genericSyntax().tryParse(text).url?.internet === true;
  return scheme !== "news" && scheme !== "mailto";
}

function otherPort(port: string, defaultPort: number | undefined): string {
  if (defaultPort === undefined) return port;
  return port === "" ? `:${defaultPort}` : `:00${port.slice(1)}`;
}

function inEitherCase(text: string, choose: Choose): string {
  return text.replace(/%[0-9A-Fa-f]{2}/g, (triplet, at) =>
    choose(`case ${at}`) ? triplet.toUpperCase() : triplet.toLowerCase(),
  );
}

/** Encodes letters and digits before the first ";", behind which they may be keywords, and decodes encoded ones. */
function otherEscapes(text: string, choose: Choose): string {
  const end = /[;#]|$/.exec(text)?.index ?? 0;
  const changed = text.slice(0, end).replace(/%[0-9A-Fa-f]{2}|[A-Za-z0-9]/g, (part, at) => {
    if (!choose(`escape ${at}`)) return part;
    if (part.length === 1) return `%${part.charCodeAt(0).toString(16)}`;
    const character = String.fromCharCode(Number.parseInt(part.slice(1), 16));
    return /[A-Za-z0-9$\-_.+!*'(),]/.test(character) ? character : part;
  });
  return changed + text.slice(end);
}
