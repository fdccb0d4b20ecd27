import type { Client, DereferenceOptions, Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, type GopherRequestOptions } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { news, nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { RECORDERS, type StartRecorder } from "../servers/recorders.ts";
import {
  type CommandDecoder,
  ftpCommands,
  gopherCommands,
  httpCommands,
  nntpCommands,
  prosperoCommands,
  undecoded,
  waisCommands,
} from "./wire-commands.ts";

/** A component of a URL. Its functions insert a text and find it in the received bytes. */
export interface UrlComponent {
  readonly scheme: (port: number) => Scheme;
  readonly recorder: StartRecorder;
  /** Returns a URL of `h.example` with this text as the component. */
  readonly url: (text: string, port: number) => string;
  readonly commands: CommandDecoder;
  /** True for bytes that are rejected when percent-encoded. */
  readonly refuses: (byte: number) => boolean;
  /** True for rejected bytes that `allowControlCharacters` allows. Default: none. */
  readonly allows?: ((byte: number) => boolean) | undefined;
  /** Bytes that separate components when encoded, each with the reason. */
  readonly separators?: Readonly<Record<number, string>>;
  /** Returns the sent form of the bytes. Default: unchanged. */
  readonly onWire?: (bytes: readonly number[]) => string;
  readonly options?: DereferenceOptions & GopherRequestOptions;
  /** Performs the request. Default: dereferences the URL. */
  readonly perform?: (client: Client, url: string, options: DereferenceOptions) => Promise<unknown>;
}

export const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;
const isLineEnd = (byte: number): boolean => byte === 0 || byte === 0x0a || byte === 0x0d;
export const isAllowableControl = (byte: number): boolean => isControl(byte) && !isLineEnd(byte);
const never = (): boolean => false;
const always = (): boolean => true;
const isNotPlus = (byte: number): boolean => byte !== 0x2b;

const controls = { refuses: isControl, allows: isAllowableControl };

export const FTP = {
  scheme: () => ftp({ idleTimeoutMs: 0 }),
  recorder: RECORDERS.ftp,
  commands: ftpCommands,
  ...controls,
};
export const GOPHER = { scheme: () => gopher(), recorder: RECORDERS.gopher, commands: gopherCommands };
export const HTTP = {
  scheme: () => http(),
  recorder: RECORDERS.http,
  commands: httpCommands,
  refuses: never,
  onWire: (bytes: readonly number[]): string => bytes.map(percentEscape).join(""),
};
export const NNTP = { scheme: () => nntp(), recorder: RECORDERS.nntp, commands: nntpCommands };
const NEWS = {
  scheme: (port: number) => news({ servers: [`h.example:${port}`] }),
  recorder: RECORDERS.nntp,
  commands: nntpCommands,
};
export const WAIS = { scheme: () => wais(), recorder: RECORDERS.wais, commands: waisCommands };
export const PROSPERO = {
  scheme: () => prospero(),
  recorder: RECORDERS.prospero,
  commands: prosperoCommands,
  ...controls,
};
const TELNET = {
  scheme: () => telnet(),
  recorder: RECORDERS.telnet,
  commands: undecoded,
  refuses: never,
  async perform(client: Client, url: string, options: DereferenceOptions): Promise<void> {
    const service = await client.dereference(url, options);
    if (service.kind === "service") await (await service.connect()).close();
  },
};

const TAB_SEPARATES = { 0x09: "a tab ends a field (RFC 1738 §3.4.1)" };
// RFC 3977 §3.6: printable US-ASCII between "<" and ">".
const isInvalidInMessageId = (byte: number): boolean =>
  byte <= 0x20 || byte >= 0x7f || byte === 0x3c || byte === 0x3e;

export const readBody = (client: Client, url: string, options: DereferenceOptions): Promise<unknown> =>
  client.put(url, "body", options);

/** Every component that is, or might be, sent to a server. */
export const COMPONENTS: Readonly<Record<string, UrlComponent>> = {
  "ftp user": { ...FTP, url: (text, port) => `ftp://${text}:p@h.example:${port}/f` },
  "ftp password": { ...FTP, url: (text, port) => `ftp://u:${text}@h.example:${port}/f` },
  "ftp cwd": { ...FTP, url: (text, port) => `ftp://h.example:${port}/${text}/f` },
  "ftp name": { ...FTP, url: (text, port) => `ftp://h.example:${port}/d/${text}` },
  "ftp name to list": { ...FTP, url: (text, port) => `ftp://h.example:${port}/${text};type=d` },
  "ftp name for stat": {
    ...FTP,
    url: (text, port) => `ftp://h.example:${port}/${text}`,
    perform: (client, url, options) => client.stat(url, options),
  },
  "ftp name for put": {
    ...FTP,
    url: (text, port) => `ftp://h.example:${port}/${text}`,
    perform: readBody,
  },
  "ftp name for delete": {
    ...FTP,
    url: (text, port) => `ftp://h.example:${port}/${text}`,
    perform: (client, url, options) => client.delete(url, options),
  },
  "ftp name of a new directory": {
    ...FTP,
    url: (text, port) => `ftp://h.example:${port}/${text}/`,
    perform: (client, url, options) => client.mkdir(url, options),
  },
  "ftp new name": {
    ...FTP,
    url: (text, port) => `ftp://h.example:${port}/${text}`,
    perform: async (client, url, options) =>
      client.rename(url.replace(/[^/]*$/, "old"), client.parse(url), options),
  },
  "gopher type": {
    ...GOPHER,
    refuses: isControl,
    allows: (byte) => isAllowableControl(byte) && byte !== 0x09,
    url: (text, port) => `gopher://h.example:${port}/${text.slice(0, text.startsWith("%") ? 3 : 1)}`,
  },
  "gopher selector": {
    ...GOPHER,
    ...controls,
    separators: TAB_SEPARATES,
    url: (text, port) => `gopher://h.example:${port}/0${text}`,
  },
  "gopher search": {
    ...GOPHER,
    ...controls,
    separators: TAB_SEPARATES,
    url: (text, port) => `gopher://h.example:${port}/7/s%09${text}`,
  },
  "gopher+ string": {
    ...GOPHER,
    refuses: isControl,
    allows: (byte) => isAllowableControl(byte) && byte !== 0x09,
    url: (text, port) => `gopher://h.example:${port}/0/s%09%09+${text}`,
  },
  "gopher+ string, forms allowed": {
    ...GOPHER,
    refuses: isControl,
    allows: (byte) => isAllowableControl(byte) && byte !== 0x09,
    url: (text, port) => `gopher://h.example:${port}/0/s%09%09${text}`,
    options: { allowForms: true },
  },
  "gopher+ answer to a form": {
    ...GOPHER,
    ...controls,
    url: (text, port) =>
      `gopher://h.example:${port}/0/s%09%09+%091%0D%0A+-1%0D%0Aone%0D%0A${text}%0D%0A.%0D%0A`,
    options: { allowForms: true },
  },
  "gopher+ view of a form": {
    ...GOPHER,
    refuses: isControl,
    allows: (byte) => isAllowableControl(byte) && byte !== 0x09,
    url: (text, port) => `gopher://h.example:${port}/0/s%09%09+${text}%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A`,
    options: { allowForms: true },
  },
  "http path": { ...HTTP, url: (text, port) => `http://h.example:${port}/${text}` },
  "http search": { ...HTTP, url: (text, port) => `http://h.example:${port}/p?${text}` },
  // RFC 1738 §5: neither a group nor a number has escapes. Modern mode decodes the escape of "+" in a group.
  "nntp group": { ...NNTP, refuses: isNotPlus, url: (text, port) => `nntp://h.example:${port}/a.${text}/1` },
  "nntp article number": {
    ...NNTP,
    refuses: always,
    url: (text, port) => `nntp://h.example:${port}/a.b/1${text}`,
  },
  "news group": { ...NEWS, refuses: isNotPlus, url: (text) => `news:a.${text}` },
  "news article": { ...NEWS, refuses: isInvalidInMessageId, url: (text) => `news:${text}@h.example` },
  "news domain of an article": { ...NEWS, refuses: isInvalidInMessageId, url: (text) => `news:a@${text}` },
  "wais database": {
    ...WAIS,
    refuses: (byte) => isControl(byte) || byte === 0x40,
    allows: isAllowableControl,
    url: (text, port) => `wais://h.example:${port}/${text}?w`,
  },
  "wais search": { ...WAIS, ...controls, url: (text, port) => `wais://h.example:${port}/d?${text}` },
  "wais wtype": {
    ...WAIS,
    ...controls,
    separators: { 0x2c: "browsers write several types with commas between them, of which one is taken" },
    url: (text, port) => `wais://h.example:${port}/d/${text}/id`,
  },
  "wais wpath": {
    ...WAIS,
    refuses: isLineEnd,
    url: (text, port) => `wais://h.example:${port}/d/TEXT/${text}`,
  },
  "prospero hsoname": { ...PROSPERO, url: (text, port) => `prospero://h.example:${port}/${text}` },
  "prospero name of a field": {
    ...PROSPERO,
    url: (text, port) => `prospero://h.example:${port}/o;${text}=v`,
  },
  "prospero value of a field": {
    ...PROSPERO,
    url: (text, port) => `prospero://h.example:${port}/o;n=${text}`,
  },
  "prospero version": {
    ...PROSPERO,
    url: (text, port) => `prospero://h.example:${port}/o;OBJECT-VERSION=${text}`,
  },
  // RFC 1738 §3.8: user and password "are advisory only", and are not sent.
  "telnet user": { ...TELNET, url: (text, port) => `telnet://${text}:p@h.example:${port}/` },
  "telnet password": { ...TELNET, url: (text, port) => `telnet://u:${text}@h.example:${port}/` },
};

/** Returns the percent-encoded form of a byte. */
export function percentEscape(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
