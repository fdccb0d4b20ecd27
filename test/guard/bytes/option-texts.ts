import type { DereferenceOptions } from "@anyscheme/core";
import type { Credentials } from "@anyscheme/core/plugin";
import { http, type HttpRequestOptions } from "@anyscheme/scheme-http";
import { prospero, wais } from "@anyscheme/scheme-others";
import {
  type Component,
  FTP,
  HTTP,
  isControl,
  isHarmlessControl,
  NNTP,
  PROSPERO,
  WAIS,
  withBody,
} from "./url-components.ts";
import { RECORDERS } from "../servers/recorders.ts";
import { BASE } from "./texts.ts";
import { httpLogins, nntpLogins } from "./wire-commands.ts";

/** A text that a caller gives besides the URL and that goes on the wire. */
export interface GivenText {
  /** The access with this text given. */
  readonly access: (text: string) => Pick<Component, "scheme" | "recorder" | "options" | "perform">;
  readonly url: (port: number) => string;
  readonly commands: Component["commands"];
  /** Characters that are refused; up to U+00FF. */
  readonly refuses: (code: number) => boolean;
  /** Of these, the ones that the option `allowControlCharacters` lets through. Default: none. */
  readonly allows?: (code: number) => boolean;
  /** What a text is on the wire, one character a byte. */
  readonly onWire: (text: string) => string;
  /** Whether the server has to ask for it, so that it is refused when the connection is there. */
  readonly late?: boolean;
}

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const asItIs = (text: string): string => text;
const isNoFieldContent = (code: number): boolean => isControl(code) && code !== 0x09;
// RFC 9110 §5.6.2
const isNoTchar = (code: number): boolean => !/[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code));
// RFC 9110 §8.8.3
const isNoEtagc = (code: number): boolean => isControl(code) || code === 0x20 || code === 0x22;

const answering = (credentials: Credentials): DereferenceOptions => ({ credentials: () => credentials });

const ofFtp = { url: (port: number) => `ftp://u@h.example:${port}/f`, commands: FTP.commands, onWire: utf8 };
const ofHttp = {
  url: (port: number): string => `http://h.example:${port}/`,
  commands: HTTP.commands,
  onWire: asItIs,
  refuses: isNoFieldContent,
};
const ofNntp = {
  url: (port: number): string => `nntp://h.example:${port}/a.b/1`,
  commands: nntpLogins,
  onWire: utf8,
  refuses: isControl,
  late: true,
};
const ofProspero = {
  url: (port: number): string => `prospero://h.example:${port}/o`,
  commands: PROSPERO.commands,
  onWire: utf8,
  refuses: isControl,
  allows: isHarmlessControl,
};

const httpWith = (options: HttpRequestOptions & DereferenceOptions): ReturnType<GivenText["access"]> => ({
  ...HTTP,
  options,
});

/** Every option, and every answer of a callback, that goes on the wire. */
export const GIVEN_TEXTS: Readonly<Record<string, GivenText>> = {
  "ftp e-mail address": {
    ...ofFtp,
    url: (port) => `ftp://h.example:${port}/f`,
    access: (text) => ({ ...FTP, options: { email: text } }),
    refuses: isControl,
    allows: isHarmlessControl,
  },
  "ftp password, asked for": {
    ...ofFtp,
    access: (text) => ({ ...FTP, options: answering({ password: text }) }),
    refuses: isControl,
    allows: isHarmlessControl,
    late: true,
  },
  "ftp account": {
    ...ofFtp,
    url: (port) => `ftp://u:p@h.example:${port}/f`,
    access: (text) => ({
      ...FTP,
      recorder: RECORDERS.ftpAccount,
      options: answering({ password: text }),
    }),
    refuses: isControl,
    allows: isHarmlessControl,
    late: true,
  },
  "http value of a header field": { ...ofHttp, access: (text) => httpWith({ headers: { "x-own": text } }) },
  "http value of Accept": { ...ofHttp, access: (text) => httpWith({ headers: [["Accept", text]] }) },
  "http name of a header field": {
    ...ofHttp,
    access: (text) => httpWith({ headers: { [text]: "v" } }),
    refuses: isNoTchar,
    onWire: (text) => text.toLowerCase(),
  },
  "http user agent": {
    ...ofHttp,
    access: (text) => ({ ...HTTP, scheme: () => http({ userAgent: text }) }),
  },
  "http entity tag": {
    ...ofHttp,
    access: (text) => httpWith({ ifNoneMatch: `"${text}"` }),
    refuses: isNoEtagc,
  },
  "http media type of a put": {
    ...ofHttp,
    access: (text) => ({
      ...HTTP,
      perform: (client, url, options) =>
        withBody(client, url, { ...options, mediaType: text } as DereferenceOptions),
    }),
  },
  "http user, asked for": {
    ...ofHttp,
    access: (text) => ({
      ...HTTP,
      recorder: RECORDERS.httpBasic,
      options: answering({ user: text, password: "p" }),
    }),
    commands: httpLogins,
    // RFC 7617 §2
    refuses: (code) => isControl(code) || code === 0x3a,
    onWire: utf8,
    late: true,
  },
  "http password, asked for": {
    ...ofHttp,
    access: (text) => ({
      ...HTTP,
      recorder: RECORDERS.httpBasic,
      options: answering({ user: "u", password: text }),
    }),
    commands: httpLogins,
    refuses: isControl,
    onWire: utf8,
    late: true,
  },
  "http user of Digest, asked for": {
    ...ofHttp,
    access: (text) => ({
      ...HTTP,
      recorder: RECORDERS.httpDigest,
      options: answering({ user: text, password: "p" }),
    }),
    commands: (received) => httpLogins(received).filter(([name]) => name === "username"),
    onWire: utf8,
    late: true,
  },
  "nntp user, asked for": {
    ...ofNntp,
    access: (text) => ({
      ...NNTP,
      recorder: RECORDERS.nntpLogin,
      options: answering({ user: text, password: "p" }),
    }),
  },
  "nntp password, asked for": {
    ...ofNntp,
    access: (text) => ({
      ...NNTP,
      recorder: RECORDERS.nntpLogin,
      options: answering({ user: "u", password: text }),
    }),
  },
  "wais identification": {
    url: (port) => `wais://h.example:${port}/d?w`,
    commands: WAIS.commands,
    access: (text) => ({ ...WAIS, scheme: () => wais({ init: true, identification: text }) }),
    refuses: isControl,
    allows: isHarmlessControl,
    onWire: asItIs,
  },
  "prospero user": {
    ...ofProspero,
    access: (text) => ({ ...PROSPERO, scheme: () => prospero({ user: text }) }),
  },
  "prospero software": {
    ...ofProspero,
    access: (text) => ({ ...PROSPERO, scheme: () => prospero({ software: text }) }),
  },
};

/** What the base is on the wire, in the same row. */
export const baseOf = ({ onWire }: GivenText): string => onWire(BASE);
