// The results of `dereference`: a union on `kind`.
import type { Plan } from "./plan.ts";
import type { Url } from "../syntax/index.ts";

/** `"verified"`: the protocol confirmed the end. `"unverified"`: the connection just closed. */
export type Completeness = "verified" | "unverified";

/** One redirect on the way to a resource: the URL that redirected, and the reason. */
export interface RedirectEntry {
  readonly url: Url;
  readonly reason: string;
}

/** The fields of every resource. */
export interface ResourceBase extends AsyncDisposable {
  /** The final URL, after redirects. */
  readonly url: Url;
  /** The redirects before it, the first one first. */
  readonly redirectChain: readonly RedirectEntry[];
  readonly plan: Plan;
  /** Discards the unread rest and frees the sockets. */
  close(): Promise<void>;
}

/** The progress of a transfer, in bytes. */
export interface Progress {
  readonly received: number;
  readonly total: number | undefined;
}

/** Bytes with a media type. The body can be read once, in one of its forms. */
export interface ContentResource extends ResourceBase, AsyncIterable<Uint8Array> {
  readonly kind: "content";
  /** A byte stream with back-pressure. It errors unless the body ends as its protocol requires. */
  readonly body: ReadableStream<Uint8Array>;
  readonly mediaType: string;
  readonly size: number | undefined;
  readonly modified: Date | undefined;
  /** Settles when the body ends; rejects as the body does. */
  readonly completeness: Promise<Completeness>;
  /** The whole body; at most `limits.maxBodyBytes`. */
  bytes(): Promise<Uint8Array>;
  /** The whole body as text, by the charset of the media type, else as the scheme has it, else UTF-8. */
  text(): Promise<string>;
  json(): Promise<unknown>;
  blob(): Promise<Blob>;
  /** Saves the body to a temporary file and renames it to `path`. A failure leaves no file. Resolves to the number of bytes. */
  saveTo(path: string): Promise<number>;
  /** Returns the resource as a `Response` of the Fetch standard. Schemes other than http have status 200. */
  toResponse(): Response;
}

/** `"truncated"`: the server stated that it left entries out. */
export type DirectoryCompleteness = Completeness | "truncated";

/** One line of a directory. Names are data from a server: never a path. */
export interface Entry {
  readonly name: string;
  /** `undefined` for a line without a target. */
  readonly url: Url | undefined;
  readonly kind: string;
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
  /** Why the line could not be parsed. Without a `url`, `name` is then the text of the line. */
  readonly fault?: string | undefined;
}

/** A directory or menu. Iterates once over the entries in the server's order, as they arrive. */
export interface DirectoryResource<E extends Entry = Entry> extends ResourceBase, AsyncIterable<E> {
  readonly kind: "directory";
  /**
   * Settles when all entries have been read: `"verified"` where the protocol confirmed the end, `"unverified"` where the
   * connection just closed, `"truncated"` where the server left entries out. Rejects as the iteration does.
   */
  readonly completeness: Promise<DirectoryCompleteness>;
}

/** One field of a form. */
export interface FormField {
  /** The name for `fill`: the label, with a number when an earlier field has the same label. */
  readonly name: string;
  /** The server's text for the field. */
  readonly label: string;
  /** `"note"` is a text without an answer. */
  readonly kind: "text" | "password" | "long-text" | "choice" | "switch" | "file" | "note";
  /** The possible answers of a `choice`. */
  readonly choices?: readonly string[] | undefined;
  /** The value of a field without an answer: text, and for `switch` a boolean. */
  readonly initial?: string | boolean | undefined;
}

/** An answer to one field: text, a switch, or the bytes of a file. */
export type FormValue = string | boolean | Uint8Array;

/** A form to fill in, such as a search or a Gopher+ ASK block. */
export interface FormResource<U extends Url = Url> extends ResourceBase {
  readonly kind: "form";
  readonly title: string | undefined;
  readonly fields: readonly FormField[];
  /** Returns the URL with these answers. Throws `TypeError` for an unknown name and for an answer of the wrong kind. */
  fill(values: Readonly<Record<string, FormValue>>): U;
}

/** An interactive service for a person. RFC 1738 §3.8. */
export interface ServiceResource extends ResourceBase {
  readonly kind: "service";
  readonly host: string;
  readonly port: number;
  /** The user name that the URL suggests. The client does not send it. */
  readonly user: string | undefined;
  /** Not enumerable. */
  readonly password: string | undefined;
  /** Connects to the service under the client's policy. Throws what `AccessContext.connect` throws. */
  connect(options?: ServiceOptions): Promise<ServiceSession>;
}

export interface ServiceOptions {
  /** The user's terminal type, as in `xterm`. Default: not sent. */
  readonly terminalType?: string | undefined;
  /** The size of the user's terminal in characters. Default: not sent. */
  readonly windowSize?: { readonly columns: number; readonly rows: number } | undefined;
  /** Called when the service starts or stops echoing input. While it echoes, the terminal must not. */
  readonly onEcho?: ((echoes: boolean) => void) | undefined;
  /**
   * Closes the connection after `writable` was closed and the service has sent nothing for this time, in milliseconds. Waits for the
   * first byte of the service at most `firstByteTimeoutMs`. 0 half-closes at once and waits for the service to close. Default 3 000.
   */
  readonly closeAfterSilenceMs?: number | undefined;
}

/**
 * Bytes to and from a service, without the protocol's own bytes. A session that the caller neither reads nor writes does not keep
 * the process alive.
 */
export interface ServiceSession extends AsyncDisposable {
  /** Ends when the session ends. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Closing it ends the input. The session then ends as `closeAfterSilenceMs` has it. */
  readonly writable: WritableStream<Uint8Array>;
  /** Sends the new size of the terminal to the service. */
  resize(columns: number, rows: number): void;
  close(): Promise<void>;
}

/** A mail address. It has no content. RFC 1738 §3.5. */
export interface MailboxResource extends ResourceBase {
  readonly kind: "mailbox";
  /** The RFC 822 addr-spec, decoded. */
  readonly address: string;
  /** The part of the address before its `@`, unquoted. */
  readonly localPart: string;
  /** The part of the address after its `@`. */
  readonly domain: string;
  /** The header fields of later practice (RFC 6068), decoded, in their order; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The content has not changed since the date or tag that the caller stated. */
export interface NotModifiedResource extends ResourceBase {
  readonly kind: "not-modified";
  readonly modified: Date | undefined;
}

/** The result of `dereference`. `kind` distinguishes the types. */
export type Resource =
  | ContentResource
  | DirectoryResource
  | FormResource
  | ServiceResource
  | MailboxResource
  | NotModifiedResource;

/** The kinds without a body or entries. */
export type SimpleResourceKind = "form" | "service" | "mailbox" | "not-modified";

/** The fields that only this kind has. */
export type ResourceProps<K extends SimpleResourceKind> = Omit<
  Extract<Resource, { kind: K }>,
  keyof ResourceBase | "kind" | typeof Symbol.asyncDispose
>;
