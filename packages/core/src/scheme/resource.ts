// What dereferencing gives: a union on `kind`.
import type { Plan } from "./plan.ts";
import type { Url } from "../syntax/index.ts";

/** Whether the protocol can tell that the bytes are all there, or they just stopped coming. */
export type Completeness = "verified" | "unverified";

/** How a resource was reached: the URL that led away from itself, and why. */
export interface RedirectEntry {
  readonly url: Url;
  readonly reason: string;
}

/** What every resource tells of itself. */
export interface ResourceBase extends AsyncDisposable {
  /** The URL it was finally found at. */
  readonly url: Url;
  /** The URLs before that, first one first. */
  readonly redirectChain: readonly RedirectEntry[];
  readonly plan: Plan;
  /** Gives up what was not read and frees sockets. */
  close(): Promise<void>;
}

/** Counts of a running transfer, in bytes. */
export interface Progress {
  readonly received: number;
  readonly total: number | undefined;
}

/** A data object: bytes with a media type. The body can be read once, in one of its forms. */
export interface ContentResource extends ResourceBase, AsyncIterable<Uint8Array> {
  readonly kind: "content";
  /** A byte stream with back-pressure that errors unless the protocol confirmed the end. */
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
  /** Writes the body beside `path` and renames it when complete; a failure leaves nothing behind. Resolves to the bytes written. */
  saveTo(path: string): Promise<number>;
  /** The same as a `Response` of the Fetch standard; of status 200, but for http. */
  toResponse(): Response;
}

/** `"truncated"`: the server said that it left entries out. */
export type DirectoryCompleteness = Completeness | "truncated";

/** One line of a directory. Names are data from a server: never a path. */
export interface Entry {
  readonly name: string;
  /** `undefined` for lines that lead nowhere. */
  readonly url: Url | undefined;
  readonly kind: string;
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
  /** Why the line could not be read. Without a `url`, `name` is then the text of the line. Default: the line was read. */
  readonly fault?: string | undefined;
}

/** A directory or menu: entries in the server's order, as they arrive. Can be iterated once. */
export interface DirectoryResource<E extends Entry = Entry> extends ResourceBase, AsyncIterable<E> {
  readonly kind: "directory";
  /**
   * Settles when all entries have been read: `"verified"` where the protocol confirmed the end, `"unverified"` where the
   * connection just closed, `"truncated"` where the server left entries out. Rejects as the iteration does.
   */
  readonly completeness: Promise<DirectoryCompleteness>;
}

/** What a form asks for. */
export interface FormField {
  /** Names it in `fill`: its label where no earlier field has the same one, else the label with a number. */
  readonly name: string;
  /** The question, as the server words it. */
  readonly label: string;
  /** `"note"` is text to read and takes no answer. */
  readonly kind: "text" | "password" | "long-text" | "choice" | "switch" | "file" | "note";
  /** For `choice`: what may be answered. */
  readonly choices?: readonly string[] | undefined;
  /** What counts when nothing is answered: text, and for `switch` a boolean. */
  readonly initial?: string | boolean | undefined;
}

/** An answer to one field: text, a switch, or the bytes of a file. */
export type FormValue = string | boolean | Uint8Array;

/** A form that has to be filled in first, as a search or a Gopher+ ASK block. */
export interface FormResource<U extends Url = Url> extends ResourceBase {
  readonly kind: "form";
  readonly title: string | undefined;
  readonly fields: readonly FormField[];
  /** The URL that sends these answers. Throws `TypeError` for a name that no field has and for an answer of the wrong kind. */
  fill(values: Readonly<Record<string, FormValue>>): U;
}

/** An interactive service, which is used by a person. RFC 1738 §3.8. */
export interface ServiceResource extends ResourceBase {
  readonly kind: "service";
  readonly host: string;
  readonly port: number;
  /** What the URL suggests to log in with; advice for the user, sent by nobody. */
  readonly user: string | undefined;
  /** Not enumerable. */
  readonly password: string | undefined;
  /** Opens the service through the guard. Throws what a dial throws. */
  connect(options?: ServiceOptions): Promise<ServiceSession>;
}

export interface ServiceOptions {
  /** The name of the user's terminal type, as in `xterm`. Default: it is not told. */
  readonly terminalType?: string | undefined;
  /** The size of the user's terminal in characters. Default: it is not told. */
  readonly windowSize?: { readonly columns: number; readonly rows: number } | undefined;
  /** Told whenever the service begins to echo what it is sent, and when it stops. As long as it does, the user's terminal must not. */
  readonly onEcho?: ((echoes: boolean) => void) | undefined;
  /**
   * How long the service has to be silent after `writable` was closed before the connection is closed, in milliseconds. The service
   * has to have sent something first: `firstByteTimeoutMs` bounds the wait for that. 0 ends the user's side at once and waits for the
   * service to end its own. Default 3 000.
   */
  readonly closeAfterSilenceMs?: number | undefined;
}

/**
 * Bytes to and from a service; what the protocol adds to them is taken out on the way in and put in on the way out. A session that the
 * caller neither reads nor writes does not keep the process alive.
 */
export interface ServiceSession extends AsyncDisposable {
  /** Ends when the service ends the session, or when it has been closed after the end of `writable`. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Closing it ends the input: the service gets time to answer, if what it sends is read. See `closeAfterSilenceMs`. */
  readonly writable: WritableStream<Uint8Array>;
  /** Tells the service that the size of the terminal has changed. */
  resize(columns: number, rows: number): void;
  close(): Promise<void>;
}

/** A mailbox: somewhere to write to, nothing to read. RFC 1738 §3.5. */
export interface MailboxResource extends ResourceBase {
  readonly kind: "mailbox";
  /** The RFC 822 addr-spec, decoded. */
  readonly address: string;
  /** Of the address: what stands before its `@`, unquoted. */
  readonly localPart: string;
  /** Of the address: what stands after its `@`. */
  readonly domain: string;
  /** The header fields of later practice (RFC 6068), decoded, in their order; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The content has not changed since the caller got it. */
export interface NotModifiedResource extends ResourceBase {
  readonly kind: "not-modified";
  readonly modified: Date | undefined;
}

/** What dereferencing gives; told apart by `kind`. */
export type Resource =
  | ContentResource
  | DirectoryResource
  | FormResource
  | ServiceResource
  | MailboxResource
  | NotModifiedResource;

/** The kinds that need nothing of the client but their place. */
export type SimpleResourceKind = "form" | "service" | "mailbox" | "not-modified";

/** What is particular to a resource of such a kind. */
export type ResourceProps<K extends SimpleResourceKind> = Omit<
  Extract<Resource, { kind: K }>,
  keyof ResourceBase | "kind" | typeof Symbol.asyncDispose
>;
