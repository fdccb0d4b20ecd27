import type { DereferenceOptions } from "@anyscheme/core";
import type { Credentials } from "@anyscheme/core/plugin";
import { http, type HttpRequestOptions } from "@anyscheme/scheme-http";
import { prospero, wais } from "@anyscheme/scheme-others";
import {
  type UrlComponent,
  FTP_COMPONENT_DEFAULTS,
  HTTP_COMPONENT_DEFAULTS,
  isControlByte,
  isControlByteExceptLineEnd,
  NNTP_COMPONENT_DEFAULTS,
  PROSPERO_COMPONENT_DEFAULTS,
  WAIS_COMPONENT_DEFAULTS,
  uploadSmallBody,
} from "./url-components.ts";
import { RECORDING_SERVERS_BY_SCHEME } from "../servers/recording-servers.ts";
import { PLACEHOLDER_TEMPLATE } from "./text-template.ts";
import { decodeHttpCredentials, decodeNntpLogins } from "./decode-commands.ts";

/** An option or a callback of the client whose text is sent to the server. */
export interface OptionSentToServer {
  /** Returns the settings of a request that passes the text in the option. */
  readonly createRequest: (
    text: string,
  ) => Pick<UrlComponent, "createScheme" | "startRecordingServer" | "requestOptions" | "performRequest">;
  /** Returns the URL of the request. */
  readonly createUrl: (port: number) => string;
  readonly decodeCommands: UrlComponent["decodeCommands"];
  /** Returns true when the client rejects the character, which is at most U+00FF. */
  readonly isRejected: (code: number) => boolean;
  /** Returns true when `allowControlCharacters` allows a rejected character. Default: always false. */
  readonly isAllowedOnRequest?: (code: number) => boolean;
  /** Returns the text as the client sends it, with one character per byte. */
  readonly encodeText: (text: string) => string;
  /**
   * True when only a reply of the server makes the client read the text, so that the client rejects it after
   * connecting.
   */
  readonly isRefusedAfterConnect?: boolean;
}

const utf8BytesAsLatin1 = (text: string): string => Buffer.from(text).toString("latin1");
const keepTextUnchanged = (text: string): string => text;
const isInvalidInField = (code: number): boolean => isControlByte(code) && code !== 0x09;
// Returns true when RFC 9110 §5.6.2 forbids the character in a token.
const isInvalidInToken = (code: number): boolean =>
  !/[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code));
// Returns true when RFC 9110 §8.8.3 forbids the character in an entity tag.
const isInvalidInEtag = (code: number): boolean => isControlByte(code) || code === 0x20 || code === 0x22;

const optionsWithCredentials = (credentials: Credentials): DereferenceOptions => ({
  credentials: () => credentials,
});

const FTP_OPTION_DEFAULTS = {
  createUrl: (port: number) => `ftp://u@h.example:${port}/f`,
  decodeCommands: FTP_COMPONENT_DEFAULTS.decodeCommands,
  encodeText: utf8BytesAsLatin1,
};
const HTTP_OPTION_DEFAULTS = {
  createUrl: (port: number): string => `http://h.example:${port}/`,
  decodeCommands: HTTP_COMPONENT_DEFAULTS.decodeCommands,
  encodeText: keepTextUnchanged,
  isRejected: isInvalidInField,
};
const NNTP_OPTION_DEFAULTS = {
  createUrl: (port: number): string => `nntp://h.example:${port}/a.b/1`,
  decodeCommands: decodeNntpLogins,
  encodeText: utf8BytesAsLatin1,
  isRejected: isControlByte,
  isRefusedAfterConnect: true,
};
const PROSPERO_OPTION_DEFAULTS = {
  createUrl: (port: number): string => `prospero://h.example:${port}/o`,
  decodeCommands: PROSPERO_COMPONENT_DEFAULTS.decodeCommands,
  encodeText: utf8BytesAsLatin1,
  isRejected: isControlByte,
  isAllowedOnRequest: isControlByteExceptLineEnd,
};

const createHttpRequest = (
  options: HttpRequestOptions & DereferenceOptions,
): ReturnType<OptionSentToServer["createRequest"]> => ({
  ...HTTP_COMPONENT_DEFAULTS,
  requestOptions: options,
});

/** Every option and callback whose text is sent to a server. */
export const OPTIONS_SENT_TO_SERVERS: Readonly<Record<string, OptionSentToServer>> = {
  "ftp e-mail address": {
    ...FTP_OPTION_DEFAULTS,
    createUrl: (port) => `ftp://h.example:${port}/f`,
    createRequest: (text) => ({ ...FTP_COMPONENT_DEFAULTS, requestOptions: { email: text } }),
    isRejected: isControlByte,
    isAllowedOnRequest: isControlByteExceptLineEnd,
  },
  "ftp password from the credentials callback": {
    ...FTP_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...FTP_COMPONENT_DEFAULTS,
      requestOptions: optionsWithCredentials({ password: text }),
    }),
    isRejected: isControlByte,
    isAllowedOnRequest: isControlByteExceptLineEnd,
    isRefusedAfterConnect: true,
  },
  "ftp account from the credentials callback": {
    ...FTP_OPTION_DEFAULTS,
    createUrl: (port) => `ftp://u:p@h.example:${port}/f`,
    createRequest: (text) => ({
      ...FTP_COMPONENT_DEFAULTS,
      startRecordingServer: RECORDING_SERVERS_BY_SCHEME.ftpAccount,
      requestOptions: optionsWithCredentials({ password: text }),
    }),
    isRejected: isControlByte,
    isAllowedOnRequest: isControlByteExceptLineEnd,
    isRefusedAfterConnect: true,
  },
  "http value of a header field": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => createHttpRequest({ headers: { "x-own": text } }),
  },
  "http value of Accept": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => createHttpRequest({ headers: [["Accept", text]] }),
  },
  "http name of a header field": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => createHttpRequest({ headers: { [text]: "v" } }),
    isRejected: isInvalidInToken,
    encodeText: (text) => text.toLowerCase(),
  },
  "http user agent": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => ({ ...HTTP_COMPONENT_DEFAULTS, createScheme: () => http({ userAgent: text }) }),
  },
  "http entity tag": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => createHttpRequest({ ifNoneMatch: `"${text}"` }),
    isRejected: isInvalidInEtag,
  },
  "http media type of a put": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...HTTP_COMPONENT_DEFAULTS,
      performRequest: (client, url, options) =>
        uploadSmallBody(client, url, { ...options, mediaType: text } as DereferenceOptions),
    }),
  },
  "http user from the credentials callback": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...HTTP_COMPONENT_DEFAULTS,
      startRecordingServer: RECORDING_SERVERS_BY_SCHEME.httpBasic,
      requestOptions: optionsWithCredentials({ user: text, password: "p" }),
    }),
    decodeCommands: decodeHttpCredentials,
    // RFC 7617 §2
    isRejected: (code) => isControlByte(code) || code === 0x3a,
    encodeText: utf8BytesAsLatin1,
    isRefusedAfterConnect: true,
  },
  "http password from the credentials callback": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...HTTP_COMPONENT_DEFAULTS,
      startRecordingServer: RECORDING_SERVERS_BY_SCHEME.httpBasic,
      requestOptions: optionsWithCredentials({ user: "u", password: text }),
    }),
    decodeCommands: decodeHttpCredentials,
    isRejected: isControlByte,
    encodeText: utf8BytesAsLatin1,
    isRefusedAfterConnect: true,
  },
  "http user of Digest from the credentials callback": {
    ...HTTP_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...HTTP_COMPONENT_DEFAULTS,
      startRecordingServer: RECORDING_SERVERS_BY_SCHEME.httpDigest,
      requestOptions: optionsWithCredentials({ user: text, password: "p" }),
    }),
    decodeCommands: (received) => decodeHttpCredentials(received).filter(([name]) => name === "username"),
    encodeText: utf8BytesAsLatin1,
    isRefusedAfterConnect: true,
  },
  "nntp user from the credentials callback": {
    ...NNTP_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...NNTP_COMPONENT_DEFAULTS,
      startRecordingServer: RECORDING_SERVERS_BY_SCHEME.nntpLogin,
      requestOptions: optionsWithCredentials({ user: text, password: "p" }),
    }),
  },
  "nntp password from the credentials callback": {
    ...NNTP_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...NNTP_COMPONENT_DEFAULTS,
      startRecordingServer: RECORDING_SERVERS_BY_SCHEME.nntpLogin,
      requestOptions: optionsWithCredentials({ user: "u", password: text }),
    }),
  },
  "wais identification": {
    createUrl: (port) => `wais://h.example:${port}/d?w`,
    decodeCommands: WAIS_COMPONENT_DEFAULTS.decodeCommands,
    createRequest: (text) => ({
      ...WAIS_COMPONENT_DEFAULTS,
      createScheme: () => wais({ sendInitRequest: true, identification: text }),
    }),
    isRejected: isControlByte,
    isAllowedOnRequest: isControlByteExceptLineEnd,
    encodeText: keepTextUnchanged,
  },
  "prospero user": {
    ...PROSPERO_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...PROSPERO_COMPONENT_DEFAULTS,
      createScheme: () => prospero({ user: text }),
    }),
  },
  "prospero software": {
    ...PROSPERO_OPTION_DEFAULTS,
    createRequest: (text) => ({
      ...PROSPERO_COMPONENT_DEFAULTS,
      createScheme: () => prospero({ software: text }),
    }),
  },
};

/** Returns the text template in the form that the client sends. */
export const encodeTemplate = ({ encodeText: onWire }: OptionSentToServer): string =>
  onWire(PLACEHOLDER_TEMPLATE);
