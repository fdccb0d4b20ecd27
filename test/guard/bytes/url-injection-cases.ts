import type { Client, DereferenceOptions, Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, type GopherRequestOptions } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { news, nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { RECORDING_SERVER_STARTERS, type StartRecordingServer } from "../servers/recording-servers.ts";
import {
  type ReceivedCommandDecoder,
  decodeFtpCommands,
  decodeGopherRequest,
  decodeHttpRequest,
  decodeNntpCommands,
  decodeProsperoRequest,
  decodeAllBytesAsOneCommand,
  decodeWaisMessages,
} from "./command-decoders.ts";

/** A component of a URL, with functions that put a text into the component and find it in the received bytes. */
export interface UrlComponentInjectionCase {
  readonly createScheme: (port: number) => Scheme;
  readonly startRecordingServer: StartRecordingServer;
  /** Returns a URL with host `h.example` and the given text as the component. */
  readonly createUrl: (text: string, port: number) => string;
  readonly decodeReceivedCommands: ReceivedCommandDecoder;
  /** Returns true when the client rejects the percent-encoded byte in the tested URL component. */
  readonly isRejected: (byte: number) => boolean;
  /**
   * Returns true when the option `allowControlCharacters` makes the client accept a rejected byte. Default: always
   * false.
   */
  readonly isAllowedByControlCharacterOption?: ((byte: number) => boolean) | undefined;
  /** Bytes that separate components even when they are percent-encoded, each with the reason. */
  readonly separatorBytes?: Readonly<Record<number, string>>;
  /** Returns the bytes of a URL component in the form that the client sends. Default: unchanged. */
  readonly encodeBytesAsSent?: (bytes: readonly number[]) => string;
  readonly requestOptions?: DereferenceOptions & GopherRequestOptions;
  /** Performs the request. Default: dereferences the URL. */
  readonly performRequest?: (client: Client, url: string, options: DereferenceOptions) => Promise<unknown>;
}

export const isControlByte = (byte: number): boolean => byte < 0x20 || byte === 0x7f;
const isNulOrLineEnd = (byte: number): boolean => byte === 0 || byte === 0x0a || byte === 0x0d;
export const isControlByteExceptNulCrLf = (byte: number): boolean =>
  isControlByte(byte) && !isNulOrLineEnd(byte);
const rejectsNoByte = (): boolean => false;
const rejectsEveryByte = (): boolean => true;
const isByteOtherThanPlus = (byte: number): boolean => byte !== 0x2b;
const isByteOtherThanPlusOrQuestionMark = (byte: number): boolean => byte !== 0x2b && byte !== 0x3f;

const CONTROL_BYTE_RULES = {
  isRejected: isControlByte,
  isAllowedByControlCharacterOption: isControlByteExceptNulCrLf,
};

export const FTP_INJECTION_CASE_DEFAULTS = {
  createScheme: () => ftp({ idleTimeoutMs: 0 }),
  startRecordingServer: RECORDING_SERVER_STARTERS.ftp,
  decodeReceivedCommands: decodeFtpCommands,
  ...CONTROL_BYTE_RULES,
};
export const GOPHER_INJECTION_CASE_DEFAULTS = {
  createScheme: () => gopher(),
  startRecordingServer: RECORDING_SERVER_STARTERS.gopher,
  decodeReceivedCommands: decodeGopherRequest,
};
export const HTTP_INJECTION_CASE_DEFAULTS = {
  createScheme: () => http(),
  startRecordingServer: RECORDING_SERVER_STARTERS.http,
  decodeReceivedCommands: decodeHttpRequest,
  isRejected: rejectsNoByte,
  encodeBytesAsSent: (bytes: readonly number[]): string => bytes.map(percentEncode).join(""),
};
export const NNTP_INJECTION_CASE_DEFAULTS = {
  createScheme: () => nntp(),
  startRecordingServer: RECORDING_SERVER_STARTERS.nntp,
  decodeReceivedCommands: decodeNntpCommands,
};
const NEWS_TEST_CASE_DEFAULTS = {
  createScheme: (port: number) => news({ servers: [`h.example:${port}`] }),
  startRecordingServer: RECORDING_SERVER_STARTERS.nntp,
  decodeReceivedCommands: decodeNntpCommands,
};
export const WAIS_INJECTION_CASE_DEFAULTS = {
  createScheme: () => wais(),
  startRecordingServer: RECORDING_SERVER_STARTERS.wais,
  decodeReceivedCommands: decodeWaisMessages,
};
export const PROSPERO_INJECTION_CASE_DEFAULTS = {
  createScheme: () => prospero(),
  startRecordingServer: RECORDING_SERVER_STARTERS.prospero,
  decodeReceivedCommands: decodeProsperoRequest,
  ...CONTROL_BYTE_RULES,
};
const TELNET_TEST_CASE_DEFAULTS = {
  createScheme: () => telnet(),
  startRecordingServer: RECORDING_SERVER_STARTERS.telnet,
  decodeReceivedCommands: decodeAllBytesAsOneCommand,
  isRejected: rejectsNoByte,
  async performRequest(client: Client, url: string, options: DereferenceOptions): Promise<void> {
    const service = await client.dereference(url, options);
    if (service.kind === "service") await (await service.connect()).close();
  },
};

const TAB_AS_SEPARATOR = { 0x09: "a tab ends a field (RFC 1738 §3.4.1)" };
// RFC 3977 §3.6: a message-id consists of printable US-ASCII characters between "<" and ">".
const isInvalidInMessageId = (byte: number): boolean =>
  byte <= 0x20 || byte >= 0x7f || byte === 0x3c || byte === 0x3e;

export const uploadSmallBody = (client: Client, url: string, options: DereferenceOptions): Promise<unknown> =>
  client.put(url, "body", options);

/** Every URL component that a client sends to a server, or could send by mistake. */
export const URL_INJECTION_CASES: Readonly<Record<string, UrlComponentInjectionCase>> = {
  "ftp user": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://${text}:p@h.example:${port}/f`,
  },
  "ftp password": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://u:${text}@h.example:${port}/f`,
  },
  "ftp cwd": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/${text}/f`,
  },
  "ftp name": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/d/${text}`,
  },
  "ftp path of a listed directory": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/${text};type=d`,
  },
  "ftp name for stat": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/${text}`,
    performRequest: (client, url, options) => client.stat(url, options),
  },
  "ftp name for put": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/${text}`,
    performRequest: uploadSmallBody,
  },
  "ftp name for delete": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/${text}`,
    performRequest: (client, url, options) => client.delete(url, options),
  },
  "ftp name of a new directory": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/${text}/`,
    performRequest: (client, url, options) => client.mkdir(url, options),
  },
  "ftp new name of a renamed file": {
    ...FTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `ftp://h.example:${port}/${text}`,
    performRequest: async (client, url, options) =>
      client.rename(url.replace(/[^/]*$/, "old"), client.parse(url), options),
  },
  "gopher type": {
    ...GOPHER_INJECTION_CASE_DEFAULTS,
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: (byte) => isControlByteExceptNulCrLf(byte) && byte !== 0x09,
    createUrl: (text, port) => `gopher://h.example:${port}/${text.slice(0, text.startsWith("%") ? 3 : 1)}`,
  },
  "gopher selector": {
    ...GOPHER_INJECTION_CASE_DEFAULTS,
    ...CONTROL_BYTE_RULES,
    separatorBytes: TAB_AS_SEPARATOR,
    createUrl: (text, port) => `gopher://h.example:${port}/0${text}`,
  },
  "gopher search": {
    ...GOPHER_INJECTION_CASE_DEFAULTS,
    ...CONTROL_BYTE_RULES,
    separatorBytes: TAB_AS_SEPARATOR,
    createUrl: (text, port) => `gopher://h.example:${port}/7/s%09${text}`,
  },
  "gopher+ string": {
    ...GOPHER_INJECTION_CASE_DEFAULTS,
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: (byte) => isControlByteExceptNulCrLf(byte) && byte !== 0x09,
    createUrl: (text, port) => `gopher://h.example:${port}/0/s%09%09+${text}`,
  },
  "gopher+ string with allowForms": {
    ...GOPHER_INJECTION_CASE_DEFAULTS,
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: (byte) => isControlByteExceptNulCrLf(byte) && byte !== 0x09,
    createUrl: (text, port) => `gopher://h.example:${port}/0/s%09%09${text}`,
    requestOptions: { allowForms: true },
  },
  "gopher+ form data": {
    ...GOPHER_INJECTION_CASE_DEFAULTS,
    ...CONTROL_BYTE_RULES,
    createUrl: (text, port) =>
      `gopher://h.example:${port}/0/s%09%09+%091%0D%0A+-1%0D%0Aone%0D%0A${text}%0D%0A.%0D%0A`,
    requestOptions: { allowForms: true },
  },
  "gopher+ view with form data": {
    ...GOPHER_INJECTION_CASE_DEFAULTS,
    isRejected: isControlByte,
    isAllowedByControlCharacterOption: (byte) => isControlByteExceptNulCrLf(byte) && byte !== 0x09,
    createUrl: (text, port) =>
      `gopher://h.example:${port}/0/s%09%09+${text}%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A`,
    requestOptions: { allowForms: true },
  },
  "http path": {
    ...HTTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `http://h.example:${port}/${text}`,
  },
  "http search": {
    ...HTTP_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `http://h.example:${port}/p?${text}`,
  },
  // RFC 1738 §5: newsgroup names and article numbers have no escapes. Modern mode decodes "%2B" in a newsgroup name.
  "nntp group": {
    ...NNTP_INJECTION_CASE_DEFAULTS,
    isRejected: isByteOtherThanPlus,
    createUrl: (text, port) => `nntp://h.example:${port}/a.${text}/1`,
  },
  "nntp article number": {
    ...NNTP_INJECTION_CASE_DEFAULTS,
    isRejected: rejectsEveryByte,
    createUrl: (text, port) => `nntp://h.example:${port}/a.b/1${text}`,
  },
  "news group": {
    ...NEWS_TEST_CASE_DEFAULTS,
    // An escaped "?" is part of a pattern of groups (RFC 5538 §3).
    isRejected: isByteOtherThanPlusOrQuestionMark,
    createUrl: (text) => `news:a.${text}`,
  },
  "news article": {
    ...NEWS_TEST_CASE_DEFAULTS,
    isRejected: isInvalidInMessageId,
    createUrl: (text) => `news:${text}@h.example`,
  },
  "news domain of an article": {
    ...NEWS_TEST_CASE_DEFAULTS,
    isRejected: isInvalidInMessageId,
    createUrl: (text) => `news:a@${text}`,
  },
  "wais database": {
    ...WAIS_INJECTION_CASE_DEFAULTS,
    isRejected: (byte) => isControlByte(byte) || byte === 0x40,
    isAllowedByControlCharacterOption: isControlByteExceptNulCrLf,
    createUrl: (text, port) => `wais://h.example:${port}/${text}?w`,
  },
  "wais search": {
    ...WAIS_INJECTION_CASE_DEFAULTS,
    ...CONTROL_BYTE_RULES,
    createUrl: (text, port) => `wais://h.example:${port}/d?${text}`,
  },
  "wais wtype": {
    ...WAIS_INJECTION_CASE_DEFAULTS,
    ...CONTROL_BYTE_RULES,
    separatorBytes: { 0x2c: "browsers separate several types by commas, and the client uses one of them" },
    createUrl: (text, port) => `wais://h.example:${port}/d/${text}/id`,
  },
  "wais wpath": {
    ...WAIS_INJECTION_CASE_DEFAULTS,
    isRejected: isNulOrLineEnd,
    createUrl: (text, port) => `wais://h.example:${port}/d/TEXT/${text}`,
  },
  "prospero hsoname": {
    ...PROSPERO_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `prospero://h.example:${port}/${text}`,
  },
  "prospero name of a field": {
    ...PROSPERO_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `prospero://h.example:${port}/o;${text}=v`,
  },
  "prospero value of a field": {
    ...PROSPERO_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `prospero://h.example:${port}/o;n=${text}`,
  },
  "prospero version": {
    ...PROSPERO_INJECTION_CASE_DEFAULTS,
    createUrl: (text, port) => `prospero://h.example:${port}/o;OBJECT-VERSION=${text}`,
  },
  // RFC 1738 §3.8: user and password "are advisory only", so the client does not send them.
  "telnet user": {
    ...TELNET_TEST_CASE_DEFAULTS,
    createUrl: (text, port) => `telnet://${text}:p@h.example:${port}/`,
  },
  "telnet password": {
    ...TELNET_TEST_CASE_DEFAULTS,
    createUrl: (text, port) => `telnet://u:${text}@h.example:${port}/`,
  },
};

/** Returns the percent-encoded form of a byte. */
export function percentEncode(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
