// These functions decode received bytes as a server does. The decoders share no code with the tested encoders. In the
// decoded strings, one character is one byte.

/** A decoded command of a client: the verb and the arguments. */
export type DecodedCommand = readonly string[];

export type ReceivedCommandDecoder = (received: string) => DecodedCommand[];

/** Splits a text at CR LF. Throws for a single CR or LF, which some servers treat as a line end. */
function splitAtCrlf(received: string): string[] {
  if (received === "") return [];
  const lines = received.split(/\r\n|\r|\n/);
  if (lines.pop() !== "") throw new Error(`the last line is not terminated: ${JSON.stringify(received)}`);
  const ends = received.match(/\r\n/g) ?? [];
  if (ends.length !== lines.length)
    throw new Error(`the text has a single CR or LF: ${JSON.stringify(received)}`);
  return lines;
}

/** Decodes FTP commands: a verb, a space and one argument, in which 0xFF is doubled. RFC 959 §4, RFC 854. */
export const decodeFtpCommands: ReceivedCommandDecoder = (received) =>
  splitAtCrlf(received).map((line) => {
    if (/(?<!\xff)(?:\xff\xff)*\xff(?!\xff)/.test(line))
      throw new Error("a byte 0xFF begins a Telnet command");
    const [verb = "", ...words] = line.replaceAll("\xff\xff", "\xff").split(" ");
    return words.length === 0 ? [verb] : [verb, words.join(" ")];
  });

/** Decodes a Gopher request: a line of fields separated by tabs, and the lines of form data. RFC 1436 §2. */
export const decodeGopherRequest: ReceivedCommandDecoder = (received) =>
  splitAtCrlf(received).map((line, index) => (index === 0 ? line.split("\t") : [line]));

/** Decodes the header section of an HTTP request, which ends with an empty line. RFC 9112 §2. */
export const decodeHttpRequest: ReceivedCommandDecoder = (received) => {
  const lines = splitAtCrlf(received);
  if (lines.indexOf("") !== lines.length - 1)
    throw new Error("the HTTP request has bytes after its header section");
  return lines.slice(0, -1).map((line, index) => (index === 0 ? line.split(" ") : line.split(": ")));
};

/** Decodes the header sections of several HTTP requests. */
export const decodeHttpRequests: ReceivedCommandDecoder = (received) =>
  received.split(/(?<=\r\n\r\n)/).flatMap(decodeHttpRequest);

/**
 * Decodes the Authorization fields of several HTTP requests: of Basic into "Basic" and the decoded credentials, and of
 * Digest into the names and values of its parameters.
 */
export const decodeAuthorizationFields: ReceivedCommandDecoder = (received) =>
  decodeHttpRequests(received).flatMap(([name, ...value]) => {
    if (name !== "authorization") return [];
    const [scheme = "", credentials = ""] = value.join(": ").split(/ (.*)/s);
    if (scheme === "Basic") return [[scheme, Buffer.from(credentials, "base64").toString("latin1")]];
    const parameters = [...credentials.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\w+))(?:, |$)/gs)];
    const length = parameters.reduce((sum, [text]) => sum + text.length, 0);
    if (length !== credentials.length)
      throw new Error(`the credentials are not a list of parameters: ${credentials}`);
    return parameters.map(([, key = "", text, token = ""]) => [
      key,
      text === undefined ? token : text.replace(/\\(.)/gs, "$1"),
    ]);
  });

/** Decodes NNTP commands: words separated by spaces and tabs. RFC 3977 §3.1. */
export const decodeNntpCommands: ReceivedCommandDecoder = (received) =>
  splitAtCrlf(received).map((line) => line.split(/[ \t]/));

/** Decodes NNTP commands with AUTHINFO, whose argument extends to the end of the line. RFC 4643 §2.3. */
export const decodeAuthinfoCommands: ReceivedCommandDecoder = (received) =>
  splitAtCrlf(received).map((line) => {
    const [, which, text = ""] = /^AUTHINFO (USER|PASS) (.*)$/s.exec(line) ?? [];
    return which === undefined ? line.split(/[ \t]/) : [which, text];
  });

/**
 * Decodes a Prospero request: lines that end with LF, with tokens separated by spaces. In a quoted Prospero token, two
 * apostrophes mean one apostrophe.
 */
export const decodeProsperoRequest: ReceivedCommandDecoder = (received) => {
  const commands: string[][] = [];
  let tokens: string[] = [];
  let token: string | undefined;
  let quoted = false;
  for (let at = 0; at < received.length; at++) {
    const byte = received.charAt(at);
    if (byte === "\0" || byte === "\r") throw new Error("a Prospero token contains NUL or CR");
    if (quoted && byte === "'" && received.charAt(at + 1) === "'") token += received.charAt(++at);
    else if (byte === "'") [quoted, token] = [!quoted, token ?? ""];
    else if (byte === "\n") {
      if (quoted) throw new Error("a Prospero line ends in a quoted token");
      commands.push(token === undefined ? tokens : [...tokens, token]);
      [tokens, token] = [[], undefined];
    } else if (!quoted && (byte === " " || byte === "\t")) {
      if (token !== undefined) tokens.push(token);
      token = undefined;
    } else token = (token ?? "") + byte;
  }
  if (tokens.length > 0 || token !== undefined)
    throw new Error("the last Prospero line does not end with LF");
  return commands;
};

/**
 * The size of the fixed fields of a SearchAPDU after its type: three numbers of three bytes, and the replace
 * indicator.
 */
const SEARCH_FIXED_BYTES = 10;
const SEARCH_APDU_TYPE = 22;
const INIT_APDU_TYPE = 20;

/**
 * Decodes WAIS messages, each after a header of 25 bytes. A WAIS message consists of elements, each with a tag, a
 * length and the bytes.
 */
export const decodeWaisMessages: ReceivedCommandDecoder = (received) => {
  const commands: string[][] = [];
  for (let at = 0; at < received.length;) {
    const length = Number(received.slice(at, at + 10));
    const apdu = received.slice(at + 25, at + 25 + length);
    if (!/^\d{10}z2wais {8}0$/.test(received.slice(at, at + 25)) || apdu.length !== length)
      throw new Error("the received bytes are not a WAIS message");
    at += 25 + length;
    const headEnd = 2 + apdu.charCodeAt(0) * 256 + apdu.charCodeAt(1);
    const type = apdu.charCodeAt(2);
    if (type !== SEARCH_APDU_TYPE && type !== INIT_APDU_TYPE)
      throw new Error("the WAIS message is neither a search nor an init request");
    const elements = decodeWaisApduElements(
      apdu.slice(type === SEARCH_APDU_TYPE ? 3 + SEARCH_FIXED_BYTES : 3, headEnd),
    );
    const user = decodeWaisApduElements(apdu.slice(headEnd)).flatMap((element) =>
      /^(?:21|99) /.test(element) ? decodeWaisApduElements(element.slice(3)) : [element],
    );
    commands.push([...elements, ...user]);
  }
  return commands;
};

/** Decodes each WAIS element into a text: its tag, a space and its bytes. */
function decodeWaisApduElements(bytes: string): string[] {
  const found: string[] = [];
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (;;) {
      if (at >= bytes.length) throw new Error("a WAIS element is truncated");
      const byte = bytes.charCodeAt(at++);
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const end = number() + at;
    if (end > bytes.length) throw new Error("a WAIS element is longer than its message");
    found.push(`${tag} ${bytes.slice(at, end)}`);
    at = end;
  }
  return found;
}

/** Returns all received bytes as one command, for protocols without commands such as Telnet. */
export const decodeAllBytesAsOneCommand: ReceivedCommandDecoder = (received) =>
  received === "" ? [] : [[received]];
