import type { DereferenceOptions } from "@anyscheme/core";
import type { Credentials } from "@anyscheme/core/plugin";
import { http, type HttpRequestOptions } from "@anyscheme/scheme-http";
import { prospero, wais } from "@anyscheme/scheme-others";
import {
  type UrlComponentInjectionCase,
  FTP_INJECTION_CASE_DEFAULTS,
  HTTP_INJECTION_CASE_DEFAULTS,
  isControlByte,
  isControlByteExceptNulCrLf,
  NNTP_INJECTION_CASE_DEFAULTS,
  PROSPERO_INJECTION_CASE_DEFAULTS,
  WAIS_INJECTION_CASE_DEFAULTS,
  uploadSmallBody,
} from "./url-injection-cases.ts";
import { RECORDING_SERVER_STARTERS } from "../servers/recording-servers.ts";
import { TEMPLATE_WITH_PLACEHOLDERS } from "./placeholder-template.ts";
import { decodeAuthorizationFields, decodeAuthinfoCommands } from "./command-decoders.ts";

/** An option or a callback of the client whose text is sent to the server. */
export interface ClientOptionSentToServer {
  /** Returns the settings of a request that passes the text in the option. */
  readonly createRequestSettings: (
    text: string,
  ) => Pick<
    UrlComponentInjectionCase,
    "createScheme" | "startRecordingServer" | "requestOptions" | "performRequest"
  >;
  /** Returns the URL of the request with the tested option. */
  readonly createUrl: (port: number) => string;
  readonly decodeReceivedCommands: UrlComponentInjectionCase["decodeReceivedCommands"];
  /** Returns true when the client rejects the character, which is at most U+00FF. */
  readonly isRejected: (code: number) => boolean;
  /**
   * Returns true when the option `allowControlCharacters` makes the client accept a rejected character. Default: always
   * false.
   */
  readonly isAllowedByControlCharacterOption?: (code: number) => boolean;
  /** Returns the text as the client sends it, with one character per byte. */
  readonly encodeTextAsSent: (text: string) => string;
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
  decodeReceivedCommands: FTP_INJECTION_CASE_DEFAULTS.decodeReceivedCommands,
  encodeTextAsSent: utf8BytesAsLatin1,
};
const HTTP_OPTION_DEFAULTS = {
  createUrl: (port: number): string => `http://h.example:${port}/`,
  decodeReceivedCommands: HTTP_INJECTION_CASE_DEFAULTS.decodeReceivedCommands,
  encodeTextAsSent: keepTextUnchanged,
  isRejected: isInvalidInField,
};
const NNTP_OPTION_DEFAULTS = {
  createUrl: (port: number): string => `nntp://h.example:${port}/a.b/1`,
  decodeReceivedCommands: decodeAuthinfoCommands,
  encodeTextAsSent: utf8BytesAsLatin1,
  isRejected: isControlByte,
  isRefusedAfterConnect: true,
};
const PROSPERO_OPTION_DEFAULTS = {
  createUrl: (port: number): string => `prospero://h.example:${port}/o`,
  decodeReceivedCommands: PROSPERO_INJECTION_CASE_DEFAULTS.decodeReceivedCommands,
  encodeTextAsSent: utf8BytesAsLatin1,
  isRejected: isControlByte,
  isAllowedByControlCharacterOption: isControlByteExceptNulCrLf,
};

const createHttpRequest = (
  options: HttpRequestOptions & DereferenceOptions,
): ReturnType<ClientOptionSentToServer["createRequestSettings"]> => ({
  ...HTTP_INJECTION_CASE_DEFAULTS,
  requestOptions: options,
});

/** Every client option and callback whose text is sent to a server. */
export const CLIENT_OPTIONS_SENT_TO_SERVERS: Readonly<Record<string, ClientOptionSentToServer>> = {
  "ftp e-mail address": {
    ...FTP_OPTION_DEFAULTS,
    createUrl: (port) => `ftp://h.example:${port}/f`,
    createRequestSettings: (text) => ({ ...FTP_INJECTION_CASE_DEFAULTS, requestOptions: { email: text } }),
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: isControlByteExceptNulCrLf,
  },
  "ftp password from the credentials callback": {
    ...FTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...FTP_INJECTION_CASE_DEFAULTS,
      requestOptions: optionsWithCredentials({ password: text }),
    }),
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: isControlByteExceptNulCrLf,
    isRefusedAfterConnect: true,
  },
  "ftp account from the credentials callback": {
    ...FTP_OPTION_DEFAULTS,
    createUrl: (port) => `ftp://u:p@h.example:${port}/f`,
    createRequestSettings: (text) => ({
      ...FTP_INJECTION_CASE_DEFAULTS,
      startRecordingServer: RECORDING_SERVER_STARTERS.ftpAccount,
      requestOptions: optionsWithCredentials({ password: text }),
    }),
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: isControlByteExceptNulCrLf,
    isRefusedAfterConnect: true,
  },
  "http value of a header field": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => createHttpRequest({ headers: { "x-own": text } }),
  },
  "http value of Accept": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => createHttpRequest({ headers: [["Accept", text]] }),
  },
  "http name of a header field": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => createHttpRequest({ headers: { [text]: "v" } }),
    isRejected: isInvalidInToken,
    encodeTextAsSent: (text) => text.toLowerCase(),
  },
  "http user agent": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...HTTP_INJECTION_CASE_DEFAULTS,
      createScheme: () => http({ userAgent: text }),
    }),
  },
  "http entity tag": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => createHttpRequest({ ifNoneMatch: `"${text}"` }),
    isRejected: isInvalidInEtag,
  },
  "http media type of a put": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...HTTP_INJECTION_CASE_DEFAULTS,
      performRequest: (client, url, options) =>
        uploadSmallBody(client, url, { ...options, mediaType: text } as DereferenceOptions),
    }),
  },
  "http user from the credentials callback": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...HTTP_INJECTION_CASE_DEFAULTS,
      startRecordingServer: RECORDING_SERVER_STARTERS.httpBasic,
      requestOptions: optionsWithCredentials({ user: text, password: "p" }),
    }),
    decodeReceivedCommands: decodeAuthorizationFields,
    // RFC 7617 §2
    isRejected: (code) => isControlByte(code) || code === 0x3a,
    encodeTextAsSent: utf8BytesAsLatin1,
    isRefusedAfterConnect: true,
  },
  "http password from the credentials callback": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...HTTP_INJECTION_CASE_DEFAULTS,
      startRecordingServer: RECORDING_SERVER_STARTERS.httpBasic,
      requestOptions: optionsWithCredentials({ user: "u", password: text }),
    }),
    decodeReceivedCommands: decodeAuthorizationFields,
    isRejected: isControlByte,
    encodeTextAsSent: utf8BytesAsLatin1,
    isRefusedAfterConnect: true,
  },
  "http user of Digest from the credentials callback": {
    ...HTTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...HTTP_INJECTION_CASE_DEFAULTS,
      startRecordingServer: RECORDING_SERVER_STARTERS.httpDigest,
      requestOptions: optionsWithCredentials({ user: text, password: "p" }),
    }),
    decodeReceivedCommands: (received) =>
      decodeAuthorizationFields(received).filter(([name]) => name === "username"),
    encodeTextAsSent: utf8BytesAsLatin1,
    isRefusedAfterConnect: true,
  },
  "nntp user from the credentials callback": {
    ...NNTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...NNTP_INJECTION_CASE_DEFAULTS,
      startRecordingServer: RECORDING_SERVER_STARTERS.nntpLogin,
      requestOptions: optionsWithCredentials({ user: text, password: "p" }),
    }),
  },
  "nntp password from the credentials callback": {
    ...NNTP_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...NNTP_INJECTION_CASE_DEFAULTS,
      startRecordingServer: RECORDING_SERVER_STARTERS.nntpLogin,
      requestOptions: optionsWithCredentials({ user: "u", password: text }),
    }),
  },
  "wais identification": {
    createUrl: (port) => `wais://h.example:${port}/d?w`,
    decodeReceivedCommands: WAIS_INJECTION_CASE_DEFAULTS.decodeReceivedCommands,
    createRequestSettings: (text) => ({
      ...WAIS_INJECTION_CASE_DEFAULTS,
      createScheme: () => wais({ sendInitRequest: true, identification: text }),
    }),
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: isControlByteExceptNulCrLf,
    encodeTextAsSent: keepTextUnchanged,
  },
  "prospero user": {
    ...PROSPERO_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...PROSPERO_INJECTION_CASE_DEFAULTS,
      createScheme: () => prospero({ user: text }),
    }),
  },
  "prospero software": {
    ...PROSPERO_OPTION_DEFAULTS,
    createRequestSettings: (text) => ({
      ...PROSPERO_INJECTION_CASE_DEFAULTS,
      createScheme: () => prospero({ software: text }),
    }),
  },
};

/** Returns the test's text template in the form in which the client sends an option. */
export const encodeTemplateAsClientSendsOption = ({
  encodeTextAsSent: onWire,
}: ClientOptionSentToServer): string => onWire(TEMPLATE_WITH_PLACEHOLDERS);
