// The plug-in contract: all that a scheme is, and all that it is given.
import type { AccessError } from "../errors/access-error.ts";
import type { Limits } from "../policy/limits.ts";
import type { Socket } from "../network/socket.ts";
import type { Operations } from "./operation.ts";
import type {
  Completeness,
  DirectoryCompleteness,
  ContentResource,
  DirectoryResource,
  Entry,
  RedirectEntry,
  ResourceProps,
  SimpleResourceKind,
  Resource,
} from "./resource.ts";
import type { Syntax, Url } from "../syntax/index.ts";
import type { OptionTable } from "../options/option-kinds.ts";

export type * from "./operation.ts";
export type * from "./resource.ts";

/** What is done in one step of an access. */
export type Action =
  "resolve" | "connect" | "tls" | "expect" | "send" | "transfer" | "close" | "open" | "redirect" | "modify";

/** One step of an access, known before any socket exists. Made by the builders of `plan.ts`. */
export interface Step {
  readonly action: Action;
  /** The section of RFC 1738, or of the protocol's own specification, that asks for it: `"3.2.2"`, `"RFC 959 4.1.1"`. */
  readonly spec: string;
  /** What a person reads; secrets masked. */
  readonly description: string;
  /** For `send`: what goes on the wire, line end included. Absent when it comes from the credentials callback. */
  readonly bytes?: Uint8Array | undefined;
  /** For a step that depends on the server: the beginning of the reply that leads to it, as in `"331"` or `"5"`. */
  readonly onReply?: string | undefined;
  /** For `expect`: the beginnings of the replies that let the access go on, as in `["2"]` or `["150", "125"]`. */
  readonly expectReplies?: readonly string[] | undefined;
  /** For `resolve`, `connect` and `secure`. */
  readonly target?: Endpoint | undefined;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Where to, and by which protocol where that is not the one of the URL's scheme: one of the scheme's `protocols`. */
export interface ProtocolEndpoint extends Endpoint {
  readonly protocol?: string | undefined;
}

/** The steps of one access. Pure: made without socket and DNS, and executed as it is. */
export interface Plan<U extends Url = Url, S extends Step = Step> {
  readonly url: U;
  readonly steps: readonly S[];
}

/** Options that every scheme's `plan` is given. */
export interface PlanOptions {
  /** The user's Internet e-mail address, the conventional password of anonymous FTP (RFC 1738 §3.2.1). */
  readonly email?: string | undefined;
  /** Whether control bytes other than NUL, CR and LF may be sent. Default false. */
  readonly allowControlCharacters?: boolean | undefined;
  /** Only this part of the content. Default: all of it. Schemes that do not list `"range"` in `honours` refuse it with `unsupported`. */
  readonly range?: Range | undefined;
  /** Gives a resource of kind `not-modified` when nothing has changed since then. Schemes that cannot tell give the content. */
  readonly ifModifiedSince?: Date | undefined;
  /** The same by the entity tag of an earlier resource, as in `"\"abc\""`; only http has such tags. */
  readonly ifNoneMatch?: string | undefined;
  /** What to do when a connection breaks in the middle of a body. Default: the body fails with `incomplete`. */
  readonly resume?: Resume | undefined;
}

/** Part of a content, counted in bytes from 0. */
export interface Range {
  readonly start: number;
  /** The first byte that is no longer part of it. Default: the end of the content. */
  readonly end?: number | undefined;
}

/** How often and how soon to connect again, going on at the byte that was reached. */
export interface Resume {
  /** Attempts without progress before giving up. Default 3. */
  readonly attempts?: number | undefined;
  /** Before the first attempt; doubled before each further one. In milliseconds, default 500. */
  readonly backoffMs?: number | undefined;
}

/**
 * A scheme: a grammar, a plan, and an access method that performs the plan. RFC 1738 §4: "a definition of an algorithm for
 * accessing of resources within that scheme and the syntax for representing such a scheme".
 *
 * `U` is the type of its URLs, `R` of what it gives, `O` of its options for one call.
 */
export interface Scheme<U extends Url = Url, R extends Resource = Resource, O extends object = object> {
  /** The name in lower case. */
  readonly name: string;
  readonly syntax: Syntax<U>;
  /**
   * Who speaks first, or whether requests are framed: `"server"` for protocols where a stranger's server would not take
   * our first bytes for commands. Default `"client"`: ports from 1024 on have to be allowed one by one.
   */
  readonly speaksFirst?: "server" | "client" | undefined;
  /** Throws `refused-characters` for what must not be sent. */
  plan(url: U, options: PlanOptions & O): Plan<U>;
  access(plan: Plan<U>, context: AccessContext, options: PlanOptions & O): Promise<R>;
  /** What this scheme can do to a URL besides dereferencing it. What is not there fails with `unsupported`. */
  readonly operations?: Operations<U, O> | undefined;
  /**
   * Other protocols by which it reaches servers, and their default ports, as `{ nntps: 563 }` for news: to such a port it may go,
   * and to those that the policy allows for that name, when it says that this is what it speaks there.
   */
  readonly protocols?: Readonly<Record<string, number>> | undefined;
  /**
   * The options that a call may have for this scheme, so that the client refuses a wrong name or value with a `TypeError`. Without
   * a table, any option is passed on.
   */
  readonly requestOptions?: OptionTable<O> | undefined;
  /** Schemes to which its servers may redirect, as http to https. The policy may allow others. Default: none. */
  readonly redirectSchemes?: readonly string[] | undefined;
  /** The common options that it acts on. */
  readonly supports?: readonly ("range" | "resume")[] | undefined;
}

/** Where to dial: a host of the plan; or a second connection to the peer of a first one, as FTP's data connections are. */
export type ConnectTarget = ProtocolEndpoint | { readonly samePeerAs: Socket; readonly port: number };

export interface ConnectOptions {
  /** Receives into buffers of the receiver's own, one for the next read each time, instead of by `data` events; see `SocketReader`. */
  readonly onread?: { buffer(): Uint8Array; callback(length: number): boolean } | undefined;
}

/** Where a request gets a connection from that is kept between requests; `C` is what the scheme keeps. */
export interface ConnectionSource<C> {
  /** A kept connection that serves this request, which owns it from then on: `adopt` has been called. */
  takeIdle(): C | undefined;
  /** Dials the target once, and does what comes before the first request: TLS, a login. */
  open(): Promise<C>;
  /** True for an error of `open` by which a server says that it takes no more connections: the request waits, and `open` is called again. */
  isServerFull?(error: unknown): boolean;
  /** Keeps a connection that was opened while another became free. Without it, a request that opens a connection waits for that one. */
  keepIdle?(connection: C): void;
}

export interface TlsOptions {
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
  /** Our own certificate, with those that lead to its root, and its private key: both in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Decrypts `key`. */
  readonly passphrase?: string | undefined;
  readonly alpnProtocols?: readonly string[] | undefined;
  /** A TLS connection whose session this one goes on with, as servers ask of FTP's data connections. */
  readonly resumeSessionOf?: Socket | undefined;
}

/** DatagramSocket to and from one peer, at the address and port that the guard has checked. Nobody else's are delivered. */
export interface DatagramSocket {
  /** Throws `unavailable` when the peer, or the way to it, refuses. */
  send(bytes: Uint8Array): Promise<void>;
  /** The next datagram; `undefined` when none has come in time. Throws `unavailable` when the peer refuses. */
  receive(options?: ReceiveOptions): Promise<Uint8Array | undefined>;
  close(): void;
}

export interface ReceiveOptions {
  /** In milliseconds. Default: until the access ends. */
  readonly timeoutMs?: number | undefined;
  /** Ends this wait, as the end of the access does. */
  readonly signal?: AbortSignal | undefined;
}

export interface DatagramOptions {
  /** Whether a peer of this access has named the target: it is under the rules for what a URL leads to. Default false. */
  readonly redirected?: boolean | undefined;
}

/**
 * All that an access method may use of the world. A scheme that has no other way to a socket cannot forget the guard. `R` is
 * what the operation gives that is being performed.
 */
export interface AccessContext<R = Resource> {
  /**
   * Opens a guarded connection: port, name and address rules, pinned address, peer check, time limits. Waits while as many as
   * `maxConnectionsPerHost` connections of the client to this host and port are open. Throws `timeout` when none closes in time.
   */
  connect(target: ConnectTarget, options?: ConnectOptions): Promise<Socket>;
  /**
   * Gives a connection that is kept between requests, or opens one. Waits as `dial` does, first come, first served, and takes the
   * first connection that another request releases meanwhile. Throws what `open` throws, and `timeout`.
   */
  acquireConnection<C>(target: Endpoint, source: ConnectionSource<C>): Promise<C>;
  /**
   * Notes that a server has refused a part of a request because it has too many connections: the client opens fewer to it from
   * now on. Gives true when it makes sense to close the connection and try again: there are, or were a moment ago, others.
   */
  reportServerFull(target: Endpoint): Promise<boolean>;
  /** Opens a guarded way for datagrams, under the same rules. */
  openDatagramSocket(target: Endpoint, options?: DatagramOptions): Promise<DatagramSocket>;
  /** Starts TLS on a dialled connection, verified against the host. Throws `unavailable` when the certificate is not good. */
  startTls(socket: Socket, host: string, options?: TlsOptions): Promise<Socket>;
  /** Aborts when the caller does, when a time limit is reached, and when the client closes. */
  readonly signal: AbortSignal;
  readonly limits: Limits;
  /**
   * Asks the caller; `undefined` when the client has no `credentials` callback, or it gives no answer. From an answer on, what servers say is shown in
   * ordinary words only, as after `mask`. Host and port are those of the
   * URL, whatever the question says; where the URL has none, those of a step of the plan. Throws `plugin` for others.
   */
  requestCredentials(question: CredentialRequest): Promise<Credentials | undefined>;
  /** Reads the text of a URL of any scheme, as the client does. Throws `UrlSyntaxError`. */
  parse(text: string): Url;
  /**
   * Notes that a secret of the user goes to a server, one that an option gave: from now on, what servers say is shown in ordinary words
   * only. The texts of plans and of `trace` have to be made without the secret.
   */
  noteSecretSent(): void;
  /** The URLs that led to this access, first one first. */
  readonly redirectChain: readonly RedirectEntry[];
  /**
   * Goes on to another URL with the same operation, as a redirect does: a new hop under all the guard's rules. `via` will give
   * the reason, which is `"redirect"` unless another is named. The connections of this access are closed first, but for those
   * that were released: the next hop may need their place.
   */
  redirectTo(url: Url, reason?: string): Promise<R>;
  /**
   * What a scheme keeps between the accesses of one client under one policy, idle connections above all: made at the first
   * call, given again at every later one, closed with the client.
   */
  getShared<T extends { close(): void }>(make: () => T): T;
  /**
   * Takes a socket out of this access, so that it outlives it. Idle, it does not keep the process alive; it ends with the client.
   * `close` is called when a request waits for a connection to the same host and cannot use this one. Default: destroys it.
   */
  detach(socket: Socket, close?: () => void): void;
  /** Makes a released socket part of this access: it ends with it. */
  attach(socket: Socket): void;
  /** Notes the step now being performed, for the transcript and for errors. */
  beginStep(step: Step): void;
  /** Adds to the transcript what was sent or received. */
  trace(event: TraceMessage): void;
  /** The error of an operation that goes on after the access has given its resource: with its place, secrets masked. */
  wrapError(operation: string, error: unknown): AccessError;
  /** Makes the resource of a data object. */
  createContent<X extends object = object>(init: ContentInit<X>): ContentResource & X;
  /** Makes the resource of a directory or menu. */
  createDirectory<E extends Entry = Entry, X extends object = object>(
    init: DirectoryInit<E, X>,
  ): DirectoryResource<E> & X;
  /** Makes a resource of any other kind, from what is particular to it. */
  createResource<K extends SimpleResourceKind, X extends object = object>(
    kind: K,
    own: ResourceProps<K> & X,
  ): Resource & { kind: K } & X;
}

export interface TraceMessage {
  readonly action: "resolve" | "connect" | "tls" | "send" | "receive" | "transfer" | "close" | "redirect";
  readonly text: string;
}

/** Asked when a server wants to know who we are. RFC 1738 §3.2.1. */
export interface CredentialRequest {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** The user name of the URL; absent when the URL has none. */
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  readonly kind: "password" | "account";
}

export interface Credentials {
  readonly user?: string | undefined;
  /** The answer to what was asked for: the password, or the account. */
  readonly password: string;
}

/**
 * Bytes on their way in. `read` gives them to `take` until `take` returns false ("more" may follow), or until the protocol
 * has confirmed their end ("end"); it rejects when they end without confirmation. The bytes given to `take` are valid only
 * until it returns.
 */
export interface ByteSource {
  read(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end">;
  /**
   * Puts bytes into a buffer of the caller's and says how many, which spares one copy; 0 at the confirmed end. For sources that
   * have no buffer of their own anyway. Either this or `read` is called, and never both on one source.
   */
  readInto?(room: Uint8Array): Promise<number>;
  /** Gives the rest up and frees what the source holds. */
  cancel(): void;
}

export interface ContentInit<X extends object = object> {
  readonly source: ByteSource;
  /** What a regular end of the source means, or who can tell at that end. Default `"verified"`. */
  readonly completeness?: Completeness | (() => Completeness) | undefined;
  /**
   * Sets how many bytes the source may receive in all, before the first read: for protocols that send more than the body, such
   * as codings that expand. Reading fails with `limit` beyond that. Default: only the body itself is limited.
   */
  readonly limitReceived?: ((maxBytes: number) => void) | undefined;
  /** As in `text/plain; charset=utf-8`. Default `application/octet-stream`. */
  readonly mediaType?: string | undefined;
  /** In bytes, where the server states it. A regular end after fewer or more bytes is `incomplete`. */
  readonly size?: number | undefined;
  /** True when the body may be longer than `size`, since the file may have grown after the server stated it. Default false. */
  readonly sizeMayGrow?: boolean | undefined;
  readonly modified?: Date | undefined;
  /** What `toResponse()` says of the content where the protocol has a say in it. Default: status 200, and the fields above. */
  readonly response?: (() => ResponseHead) | undefined;
  /** How `text()` reads the bytes. Default: by the charset of the media type, else as UTF-8. */
  readonly decode?: ((bytes: Uint8Array) => string) | undefined;
  /** What only this scheme tells; becomes properties of the resource. */
  readonly extra?: X | undefined;
}

/** A response of the Fetch standard without its body. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<readonly [name: string, value: string]>;
}

export interface DirectoryInit<E extends Entry = Entry, X extends object = object> {
  readonly entries: AsyncIterable<E>;
  /** What the end of the entries means, or a function that returns it at that end. Default `"verified"`. */
  readonly completeness?: DirectoryCompleteness | (() => DirectoryCompleteness) | undefined;
  /** Gives up what was not read. */
  cancel?(): void;
  readonly extra?: X | undefined;
}
