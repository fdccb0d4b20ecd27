// The results of `dereference`. `kind` distinguishes them.
import type { ResponseHead } from "./context.ts";
import type { Plan } from "./plan.ts";
import type { Url } from "../syntax/index.ts";

/**
 * States whether the protocol confirmed that a body is complete. `"verified"`: the protocol confirmed the end.
 * `"unverified"`: the protocol did not confirm the end, for example when only the end of the connection ends the body.
 */
export type Completeness = "verified" | "unverified";

/** A redirect of a request: the URL that redirected, and the reason. */
export interface RedirectChainEntry {
  /** The URL that redirected. */
  readonly fromUrl: Url;
  readonly reason: string;
}

/** The fields of every resource. */
export interface ResourceBase extends AsyncDisposable {
  /** The final URL, after redirects. */
  readonly url: Url;
  /** The redirects before the final URL, in order. */
  readonly redirectChain: readonly RedirectChainEntry[];
  readonly plan: Plan;
  /** Discards the unread bytes and frees the sockets. */
  close(): Promise<void>;
}

/** The progress of the download of a body, in bytes. */
export interface TransferProgress {
  readonly received: number;
  readonly total: number | undefined;
}

/**
 * The result of `dereference` for content: a body of bytes with a media type. The body can be read once, with one of
 * the methods or as a stream.
 */
export interface ContentResource extends ResourceBase, AsyncIterable<Uint8Array> {
  readonly kind: "content";
  /** The body as a byte stream with back-pressure. The stream fails unless the body ends as its protocol requires. */
  readonly body: ReadableStream<Uint8Array>;
  readonly mediaType: string;
  readonly size: number | undefined;
  /**
   * The size of the whole content in bytes, also when the body is a range. Undefined if the server does not state the
   * size, and for a scheme without the option `range`.
   */
  readonly totalSize: number | undefined;
  readonly modified: Date | undefined;
  /**
   * The status and headers of the server's response, for http. `undefined` for a scheme whose protocol has no status
   * and headers.
   */
  readonly response?: ResponseHead | undefined;
  /** The promise resolves when the body ends, and rejects when the body fails. */
  readonly completeness: Promise<Completeness>;
  /** True when the body has been read, or when a program has taken the stream `body`. A body is read at most once. */
  readonly bodyUsed: boolean;
  /** Reads the whole body, at most `limits.maxBodyBytes`. */
  bytes(): Promise<Uint8Array>;
  /** Reads the whole body, at most `limits.maxBodyBytes`. */
  arrayBuffer(): Promise<ArrayBuffer>;
  /**
   * Reads the whole body as text. The encoding is that of the byte order mark, else the charset of the media type, else
   * UTF-8. A scheme may decode a text without a charset in another way.
   */
  text(): Promise<string>;
  json(): Promise<unknown>;
  blob(): Promise<Blob>;
  /**
   * Saves the body to a temporary file and renames it to `path`. A failure removes the temporary file. Resolves to the
   * number of saved bytes.
   */
  saveTo(path: string): Promise<number>;
  /**
   * Returns the resource as a `Response` of the Fetch standard. The response of a scheme other than http has status
   * 200.
   */
  toResponse(): Response;
}

/** States whether a directory listing is complete. `"truncated"`: the server stated that it omitted entries. */
export type DirectoryCompleteness = Completeness | "truncated";

/**
 * An entry of a directory listing or menu. The name of a directory entry comes from the server and must not be used as
 * a local path.
 */
export interface DirectoryEntry {
  readonly name: string;
  /**
   * The URL of the directory or menu entry. `undefined` for an entry without a target, such as an information line of a
   * Gopher menu.
   */
  readonly url: Url | undefined;
  readonly kind: string;
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
  /**
   * The reason why the entry's line in the listing or menu could not be parsed. If an entry with a `fault` has no
   * `url`, `name` is the text of the line.
   */
  readonly fault?: string | undefined;
}

/**
 * The result of `dereference` for a directory listing or menu, such as those of FTP and Gopher. Iterates once over the
 * entries in the server's order, as they arrive.
 */
export interface DirectoryResource<E extends DirectoryEntry = DirectoryEntry>
  extends ResourceBase, AsyncIterable<E> {
  readonly kind: "directory";
  /** The promise resolves when all entries have been read, and rejects when the iteration fails. */
  readonly completeness: Promise<DirectoryCompleteness>;
}

/** A field of a `FormResource`, such as the words of a search. */
export interface FormField {
  /**
   * The name of the field in the argument of `fill`: the label, with a number when an earlier field has the same label.
   */
  readonly name: string;
  /** The label of the form field, a text from the server. */
  readonly label: string;
  /** The type of the form field. A form field of the type `"note"` is a text without a value. */
  readonly kind: "text" | "password" | "long-text" | "choice" | "switch" | "file" | "note";
  /** The possible values of a form field of the type `choice`. */
  readonly choices?: readonly string[] | undefined;
  /** The initial value of the form field: a text, or a boolean for `switch`. */
  readonly initialValue?: string | boolean | undefined;
}

/** The value of one form field: a text, a boolean, or the bytes of a file. */
export type FormValue = string | boolean | Uint8Array;

/** A form to fill in, such as a search or a Gopher+ ASK block. */
export interface FormResource<U extends Url = Url> extends ResourceBase {
  readonly kind: "form";
  readonly title: string | undefined;
  readonly fields: readonly FormField[];
  /**
   * Returns the URL that submits the form with the given values. Throws `TypeError` for an unknown name of a form field
   * and for a value of the wrong type.
   */
  fill(values: Readonly<Record<string, FormValue>>): U;
}

/** An interactive service for a human user, such as Telnet. RFC 1738 §3.8. */
export interface ServiceResource extends ResourceBase {
  readonly kind: "service";
  readonly host: string;
  readonly port: number;
  /**
   * The user name in the URL, as a suggestion for the user. The client does not send the user name to the interactive
   * service.
   */
  readonly user: string | undefined;
  /** The password of the URL. Not enumerable. */
  readonly password: string | undefined;
  /** Connects to the service under the client's policy. Throws the errors of `AccessContext.connect`. */
  connect(options?: ServiceSessionOptions): Promise<ServiceSession>;
}

export interface ServiceSessionOptions {
  /** The user's terminal type, as in `xterm`. Default: not sent. */
  readonly terminalType?: string | undefined;
  /** The size of the user's terminal in characters. Default: not sent. */
  readonly terminalSize?: { readonly columns: number; readonly rows: number } | undefined;
  /**
   * Called when the interactive service starts or stops echoing the user's input. The terminal must not echo while the
   * service does.
   */
  readonly onEcho?: ((echoes: boolean) => void) | undefined;
  /**
   * The time without bytes from the service, in milliseconds, after which the connection closes once `writable` is
   * closed. The wait for the first byte of the service is limited by `firstByteTimeoutMs` instead. With
   * `closeAfterSilenceMs: 0`, the client half-closes the connection at once and waits until the service closes it.
   * Default 3 000.
   */
  readonly closeAfterSilenceMs?: number | undefined;
}

/**
 * A session with an interactive service: the bytes in both directions, without protocol commands. While the
 * program neither reads nor writes, an open session does not prevent the process from exiting.
 */
export interface ServiceSession extends AsyncDisposable {
  /** The bytes from the interactive service. The stream ends when the session ends. */
  readonly readable: ReadableStream<Uint8Array>;
  /**
   * The bytes to the interactive service. Closing this stream ends the user's input to the interactive service. The
   * session then ends according to `closeAfterSilenceMs`.
   */
  readonly writable: WritableStream<Uint8Array>;
  /** Sends the new size of the terminal to the service. */
  resize(columns: number, rows: number): void;
  close(): Promise<void>;
}

/** A mail address. RFC 822 §6.1. */
export interface MailRecipient {
  /** The mail address (RFC 822 addr-spec), decoded. */
  readonly address: string;
  /** The part of the mail address before its `@`, unquoted. */
  readonly localPart: string;
  /** The part of the mail address after its `@`. */
  readonly domain: string;
}

/**
 * A mail address, which has no content. RFC 1738 §3.5. The fields of `MailRecipient` are those of the first recipient,
 * and are empty for a URL without recipients, as in `mailto:?subject=x`.
 */
export interface MailboxResource extends ResourceBase, MailRecipient {
  readonly kind: "mailbox";
  /** All recipients: the addresses of the mailto URL, and those of its header fields `to`. RFC 6068 §2. */
  readonly recipients: readonly MailRecipient[];
  /** The header fields of the mailto URL (RFC 6068), decoded, in order, with names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The result for content that has not changed since the date or entity tag that the caller specified. */
export interface NotModifiedResource extends ResourceBase {
  readonly kind: "not-modified";
  readonly modified: Date | undefined;
}

/** The result of `dereference`. `kind` distinguishes the kinds of resources. */
export type Resource =
  | ContentResource
  | DirectoryResource
  | FormResource
  | ServiceResource
  | MailboxResource
  | NotModifiedResource;

/** The resource kinds without a body or entries. */
export type BodilessResourceKind = "form" | "service" | "mailbox" | "not-modified";

/** The fields that only one kind of resource has. */
export type KindSpecificResourceFields<K extends BodilessResourceKind> = Omit<
  Extract<Resource, { kind: K }>,
  keyof ResourceBase | "kind" | typeof Symbol.asyncDispose
>;
