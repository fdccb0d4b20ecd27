import type { DereferenceOptions } from "@anyscheme/core";
import type { Credentials } from "@anyscheme/core/plugin";
import { http, type HttpRequestOptions } from "@anyscheme/scheme-http";
import { prospero, wais } from "@anyscheme/scheme-others";
import {
  type UrlComponent,
  FTP,
  HTTP,
  isControl,
  isAllowableControl,
  NNTP,
  PROSPERO,
  WAIS,
  readBody,
} from "./url-components.ts";
import { RECORDERS } from "../servers/recorders.ts";
import { TEMPLATE } from "./texts.ts";
import { httpLogins, nntpLogins } from "./wire-commands.ts";

/** A text in an option or a callback's result that is sent to the server. */
export interface OptionText {
  /** Returns the request with this text. */
  readonly componentWith: (text: string) => Pick<UrlComponent, "scheme" | "recorder" | "options" | "perform">;
  readonly url: (port: number) => string;
  readonly commands: UrlComponent["commands"];
  /** True for rejected characters, up to U+00FF. */
  readonly refuses: (code: number) => boolean;
  /** True for rejected characters that `allowControlCharacters` allows. Default: none. */
  readonly allows?: (code: number) => boolean;
  /** The encoded text, one character per byte. */
  readonly onWire: (text: string) => string;
  /** True for a text that only the server requests, so that the request fails after connecting. */
  readonly isRefusedAfterConnect?: boolean;
}

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const unchanged = (text: string): string => text;
const isInvalidInField = (code: number): boolean => isControl(code) && code !== 0x09;
// True for characters that RFC 9110 §5.6.2 forbids in a token.
const isInvalidInToken = (code: number): boolean =>
  !/[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code));
// True for characters that RFC 9110 §8.8.3 forbids in an entity tag.
const isInvalidInEtag = (code: number): boolean => isControl(code) || code === 0x20 || code === 0x22;

const withCredentials = (credentials: Credentials): DereferenceOptions => ({
  credentials: () => credentials,
});

const ofFtp = { url: (port: number) => `ftp://u@h.example:${port}/f`, commands: FTP.commands, onWire: utf8 };
const ofHttp = {
  url: (port: number): string => `http://h.example:${port}/`,
  commands: HTTP.commands,
  onWire: unchanged,
  refuses: isInvalidInField,
};
const ofNntp = {
  url: (port: number): string => `nntp://h.example:${port}/a.b/1`,
  commands: nntpLogins,
  onWire: utf8,
  refuses: isControl,
  isRefusedAfterConnect: true,
};
const ofProspero = {
  url: (port: number): string => `prospero://h.example:${port}/o`,
  commands: PROSPERO.commands,
  onWire: utf8,
  refuses: isControl,
  allows: isAllowableControl,
};

const httpWith = (
  options: HttpRequestOptions & DereferenceOptions,
): ReturnType<OptionText["componentWith"]> => ({
  ...HTTP,
  options,
});

/** Every option and callback result that is sent to a server. */
export const OPTION_TEXTS: Readonly<Record<string, OptionText>> = {
  "ftp e-mail address": {
    ...ofFtp,
    url: (port) => `ftp://h.example:${port}/f`,
    componentWith: (text) => ({ ...FTP, options: { email: text } }),
    refuses: isControl,
    allows: isAllowableControl,
  },
  "ftp password, asked for": {
    ...ofFtp,
    componentWith: (text) => ({ ...FTP, options: withCredentials({ password: text }) }),
    refuses: isControl,
    allows: isAllowableControl,
    isRefusedAfterConnect: true,
  },
  "ftp account": {
    ...ofFtp,
    url: (port) => `ftp://u:p@h.example:${port}/f`,
    componentWith: (text) => ({
      ...FTP,
      recorder: RECORDERS.ftpAccount,
      options: withCredentials({ password: text }),
    }),
    refuses: isControl,
    allows: isAllowableControl,
    isRefusedAfterConnect: true,
  },
  "http value of a header field": {
    ...ofHttp,
    componentWith: (text) => httpWith({ headers: { "x-own": text } }),
  },
  "http value of Accept": { ...ofHttp, componentWith: (text) => httpWith({ headers: [["Accept", text]] }) },
  "http name of a header field": {
    ...ofHttp,
    componentWith: (text) => httpWith({ headers: { [text]: "v" } }),
    refuses: isInvalidInToken,
    onWire: (text) => text.toLowerCase(),
  },
  "http user agent": {
    ...ofHttp,
    componentWith: (text) => ({ ...HTTP, scheme: () => http({ userAgent: text }) }),
  },
  "http entity tag": {
    ...ofHttp,
    componentWith: (text) => httpWith({ ifNoneMatch: `"${text}"` }),
    refuses: isInvalidInEtag,
  },
  "http media type of a put": {
    ...ofHttp,
    componentWith: (text) => ({
      ...HTTP,
      perform: (client, url, options) =>
        readBody(client, url, { ...options, mediaType: text } as DereferenceOptions),
    }),
  },
  "http user, asked for": {
    ...ofHttp,
    componentWith: (text) => ({
      ...HTTP,
      recorder: RECORDERS.httpBasic,
      options: withCredentials({ user: text, password: "p" }),
    }),
    commands: httpLogins,
    // RFC 7617 §2
    refuses: (code) => isControl(code) || code === 0x3a,
    onWire: utf8,
    isRefusedAfterConnect: true,
  },
  "http password, asked for": {
    ...ofHttp,
    componentWith: (text) => ({
      ...HTTP,
      recorder: RECORDERS.httpBasic,
      options: withCredentials({ user: "u", password: text }),
    }),
    commands: httpLogins,
    refuses: isControl,
    onWire: utf8,
    isRefusedAfterConnect: true,
  },
  "http user of Digest, asked for": {
    ...ofHttp,
    componentWith: (text) => ({
      ...HTTP,
      recorder: RECORDERS.httpDigest,
      options: withCredentials({ user: text, password: "p" }),
    }),
    commands: (received) => httpLogins(received).filter(([name]) => name === "username"),
    onWire: utf8,
    isRefusedAfterConnect: true,
  },
  "nntp user, asked for": {
    ...ofNntp,
    componentWith: (text) => ({
      ...NNTP,
      recorder: RECORDERS.nntpLogin,
      options: withCredentials({ user: text, password: "p" }),
    }),
  },
  "nntp password, asked for": {
    ...ofNntp,
    componentWith: (text) => ({
      ...NNTP,
      recorder: RECORDERS.nntpLogin,
      options: withCredentials({ user: "u", password: text }),
    }),
  },
  "wais identification": {
    url: (port) => `wais://h.example:${port}/d?w`,
    commands: WAIS.commands,
    componentWith: (text) => ({ ...WAIS, scheme: () => wais({ init: true, identification: text }) }),
    refuses: isControl,
    allows: isAllowableControl,
    onWire: unchanged,
  },
  "prospero user": {
    ...ofProspero,
    componentWith: (text) => ({ ...PROSPERO, scheme: () => prospero({ user: text }) }),
  },
  "prospero software": {
    ...ofProspero,
    componentWith: (text) => ({ ...PROSPERO, scheme: () => prospero({ software: text }) }),
  },
};

/** Returns the sent form of the template in the same row. */
export const templateOnWire = ({ onWire }: OptionText): string => onWire(TEMPLATE);
