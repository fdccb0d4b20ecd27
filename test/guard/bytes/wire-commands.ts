// Decodes received bytes as a server does, without the code of the encoders under test. One character is one byte.

/** A command as its parts: the verb and the arguments. */
export type Command = readonly string[];

export type CommandDecoder = (received: string) => Command[];

/** Splits lines at CR LF. Throws for a lone CR or LF, which some servers treat as a line end. */
function readLines(received: string): string[] {
  if (received === "") return [];
  const lines = received.split(/\r\n|\r|\n/);
  if (lines.pop() !== "") throw new Error(`the last line is not terminated: ${JSON.stringify(received)}`);
  const ends = received.match(/\r\n/g) ?? [];
  if (ends.length !== lines.length)
    throw new Error(`a CR or LF without the other: ${JSON.stringify(received)}`);
  return lines;
}

/** Decodes a verb, a space and one argument, with 0xFF doubled. RFC 959 §4, RFC 854. */
export const ftpCommands: CommandDecoder = (received) =>
  readLines(received).map((line) => {
    if (/(?<!\xff)(?:\xff\xff)*\xff(?!\xff)/.test(line))
      throw new Error("a byte 0xFF begins a Telnet command");
    const [verb = "", ...words] = line.replaceAll("\xff\xff", "\xff").split(" ");
    return words.length === 0 ? [verb] : [verb, words.join(" ")];
  });

/** Decodes a line of fields separated by tabs, and the lines of a form. RFC 1436 §2. */
export const gopherCommands: CommandDecoder = (received) =>
  readLines(received).map((line, index) => (index === 0 ? line.split("\t") : [line]));

/** Decodes lines up to an empty line. RFC 9112 §2. */
export const httpCommands: CommandDecoder = (received) => {
  const lines = readLines(received);
  if (lines.indexOf("") !== lines.length - 1) throw new Error("something follows the head of the request");
  return lines.slice(0, -1).map((line, index) => (index === 0 ? line.split(" ") : line.split(": ")));
};

/** Decodes the header sections of several requests. */
export const httpRequests: CommandDecoder = (received) =>
  received.split(/(?<=\r\n\r\n)/).flatMap(httpCommands);

/** Decodes the Authorization fields of several requests, as the scheme and the decoded credentials. */
export const httpLogins: CommandDecoder = (received) =>
  httpRequests(received).flatMap(([name, ...value]) => {
    if (name !== "authorization") return [];
    const [scheme = "", credentials = ""] = value.join(": ").split(/ (.*)/s);
    if (scheme === "Basic") return [[scheme, Buffer.from(credentials, "base64").toString("latin1")]];
    const parameters = [...credentials.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\w+))(?:, |$)/gs)];
    const length = parameters.reduce((sum, [text]) => sum + text.length, 0);
    if (length !== credentials.length) throw new Error(`the credentials are no parameters: ${credentials}`);
    return parameters.map(([, key = "", text, token = ""]) => [
      key,
      text === undefined ? token : text.replace(/\\(.)/gs, "$1"),
    ]);
  });

/** Decodes words separated by spaces and tabs. RFC 3977 §3.1. */
export const nntpCommands: CommandDecoder = (received) =>
  readLines(received).map((line) => line.split(/[ \t]/));

/** RFC 4643 §2.3: the argument of AUTHINFO extends to the end of its line. */
export const nntpLogins: CommandDecoder = (received) =>
  readLines(received).map((line) => {
    const [, which, text = ""] = /^AUTHINFO (USER|PASS) (.*)$/s.exec(line) ?? [];
    return which === undefined ? line.split(/[ \t]/) : [which, text];
  });

/**
 * Decodes Prospero 5: lines that end with LF, with tokens separated by spaces. Two apostrophes in a quoted token mean
 * one.
 */
export const prosperoCommands: CommandDecoder = (received) => {
  const commands: string[][] = [];
  let tokens: string[] = [];
  let token: string | undefined;
  let quoted = false;
  for (let at = 0; at < received.length; at++) {
    const byte = received.charAt(at);
    if (byte === "\0" || byte === "\r") throw new Error("a token holds NUL or CR");
    if (quoted && byte === "'" && received.charAt(at + 1) === "'") token += received.charAt(++at);
    else if (byte === "'") [quoted, token] = [!quoted, token ?? ""];
    else if (byte === "\n") {
      if (quoted) throw new Error("a line ends within apostrophes");
      commands.push(token === undefined ? tokens : [...tokens, token]);
      [tokens, token] = [[], undefined];
    } else if (!quoted && (byte === " " || byte === "\t")) {
      if (token !== undefined) tokens.push(token);
      token = undefined;
    } else token = (token ?? "") + byte;
  }
  if (tokens.length > 0 || token !== undefined) throw new Error("the last line has no end");
  return commands;
};

/**
 * The size of the fixed fields of a SearchAPDU after its type: three numbers of three bytes, and the replace
 * indicator.
 */
const SEARCH_FIXED = 10;
const SEARCH = 22;
const INIT = 20;

/**
 * Decodes WAIS messages, which follow a header of 25 bytes. Each contains elements: a tag, a length and the bytes.
 */
export const waisCommands: CommandDecoder = (received) => {
  const commands: string[][] = [];
  for (let at = 0; at < received.length;) {
    const length = Number(received.slice(at, at + 10));
    const apdu = received.slice(at + 25, at + 25 + length);
    if (!/^\d{10}z2wais {8}0$/.test(received.slice(at, at + 25)) || apdu.length !== length)
      throw new Error("what was sent is no WAIS message");
    at += 25 + length;
    const headEnd = 2 + apdu.charCodeAt(0) * 256 + apdu.charCodeAt(1);
    const type = apdu.charCodeAt(2);
    if (type !== SEARCH && type !== INIT) throw new Error("it is neither a search nor an init");
    const elements = readElements(apdu.slice(type === SEARCH ? 3 + SEARCH_FIXED : 3, headEnd));
    const user = readElements(apdu.slice(headEnd)).flatMap((element) =>
      /^(?:21|99) /.test(element) ? readElements(element.slice(3)) : [element],
    );
    commands.push([...elements, ...user]);
  }
  return commands;
};

/** Decodes elements as their tag, a space and their bytes. */
function readElements(bytes: string): string[] {
  const found: string[] = [];
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (;;) {
      if (at >= bytes.length) throw new Error("an element ends too soon");
      const byte = bytes.charCodeAt(at++);
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const end = number() + at;
    if (end > bytes.length) throw new Error("an element is longer than what it is part of");
    found.push(`${tag} ${bytes.slice(at, end)}`);
    at = end;
  }
  return found;
}

/** Returns bytes without structure, such as those of a Telnet stream, unchanged. */
export const undecoded: CommandDecoder = (received) => (received === "" ? [] : [[received]]);
