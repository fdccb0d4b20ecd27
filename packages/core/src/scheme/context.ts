// The services of the client for an access method: connections, credentials, trace and resources.
import type { RequestCache } from "../cache/request-cache.ts";
import type { AccessError } from "../errors/access-error.ts";
import type { Socket } from "../network/guard-context.ts";
import type { ClientLimits } from "../policy/limits.ts";
import type { Url } from "../syntax/index.ts";
import type { Endpoint, Step } from "./plan.ts";
import type {
  ContentResource,
  DirectoryResource,
  DirectoryEntry,
  RedirectChainEntry,
  Resource,
  KindSpecificResourceFields,
  BodilessResourceKind,
  Completeness,
  DirectoryCompleteness,
} from "./resource.ts";

/**
 * The target of a connection: a server of the plan, or the peer of an open connection. FTP's data connections go to the
 * peer of the control connection.
 */
export type ConnectTarget = Endpoint | { readonly samePeerAs: Socket; readonly port: number };

/**
 * The functions with which a scheme takes connections from its pool or opens new connections. `C` is the type of the
 * connections.
 */
export interface ConnectionPoolCallbacks<C> {
  /** Takes an idle connection from the pool and attaches it to this request. */
  takeIdleConnection(): C | undefined;
  /**
   * Connects to the target with `connect`, and prepares the connection for requests, for example with TLS or a login.
   * `connect` does what {@link AccessContext.connect} does, and opens the connection for which the request has waited.
   */
  openConnection(connect: (target: ConnectTarget) => Promise<Socket>): Promise<C>;
  /**
   * Returns true for an error of `openConnection` that means that the server has too many connections. When the server
   * has too many connections, the client waits and opens the connection again if a retry may succeed.
   */
  isServerFull?(error: unknown): boolean;
  /**
   * Puts a new connection into the pool when the request has already taken an idle connection. Default: a request that
   * opens a connection waits for this connection.
   */
  poolIdleConnection?(connection: C): void;
}

export interface TlsOptions {
  /** The trusted certificates (PEM), which replace the built-in certificates. */
  readonly ca?: string | readonly string[] | undefined;
  /** The client certificate with its chain, in PEM. */
  readonly cert?: string | undefined;
  /** The private key of `cert`, in PEM. */
  readonly key?: string | undefined;
  /** The passphrase that decrypts `key`. */
  readonly passphrase?: string | undefined;
  readonly alpnProtocols?: readonly string[] | undefined;
  /** A TLS connection whose session is resumed. Many FTP servers require session resumption for data connections. */
  readonly resumeSessionOf?: Socket | undefined;
}

/**
 * A socket for datagrams to and from one checked address and port. The client drops datagrams that another address has
 * sent to this socket. If the host has several addresses, the socket may change to the next address before the first
 * datagram arrives.
 */
export interface DatagramSocket {
  /**
   * Sends a datagram. Throws an error with the code `unavailable` when the peer or the network rejects the datagram.
   */
  send(bytes: Uint8Array): Promise<void>;
  /**
   * Resolves to the next datagram, or to `undefined` after `timeoutMs`. Throws an error with the code `unavailable`
   * when the peer rejects datagrams.
   */
  receive(options?: ReceiveDatagramOptions): Promise<Uint8Array | undefined>;
  close(): void;
}

export interface ReceiveDatagramOptions {
  /**
   * The maximum wait for a datagram, in milliseconds. By default, the wait for a datagram lasts until the request ends.
   */
  readonly timeoutMs?: number | undefined;
  /** Aborts this wait. */
  readonly signal?: AbortSignal | undefined;
}

export interface OpenDatagramSocketOptions {
  /**
   * True when another server has sent the address of the datagram target, as in Prospero. The policy for redirects
   * applies to a target that a server has sent. Default false.
   */
  readonly targetSentByServer?: boolean | undefined;
}

/**
 * The functions and settings of the client that the access method of a scheme may use. A scheme that opens sockets only
 * through the context cannot bypass the guard. `R` is the type of the operation's result.
 */
export interface AccessContext<R = Resource> {
  /**
   * Opens a connection to an address that the policy allows. The guard checks port, name and address. Waits while
   * `maxConnectionsPerHost` connections to the host and port are open. Throws `timeout` when none of the open
   * connections closes in time.
   */
  connect(target: ConnectTarget): Promise<Socket>;
  /**
   * Takes an idle connection of the scheme's pool, or opens a new one. Waits for a free connection as `connect` does.
   * Waiting requests get connections in the order of their calls. A waiting request takes the first connection that
   * another request releases. Throws the errors of `openConnection`, and `timeout`.
   */
  acquireConnection<C>(target: Endpoint, source: ConnectionPoolCallbacks<C>): Promise<C>;
  /**
   * Reports that a server refused part of a request because it has too many connections. After the report that a server
   * is full, the client opens fewer connections to this server. Resolves to true when a retry on another connection may
   * succeed.
   */
  reportServerFull(target: Endpoint): Promise<boolean>;
  /** Opens a datagram socket to a target that the policy allows, under the same rules as `connect`. */
  openDatagramSocket(target: Endpoint, options?: OpenDatagramSocketOptions): Promise<DatagramSocket>;
  /** Starts TLS on a connection and verifies the certificate for `host`. Throws `unavailable` and `timeout`. */
  startTls(socket: Socket, host: string, options?: TlsOptions): Promise<Socket>;
  /** The signal aborts with the caller's signal, at a time limit, and when the client is destroyed. */
  readonly signal: AbortSignal;
  readonly limits: ClientLimits;
  /** The client's cache. `undefined` without the client option `cache`, and for a link-local address with a zone. */
  readonly cache: RequestCache | undefined;
  /**
   * The cookie jar of the request. `undefined` without the option `cookies` of the request or the client, and for a
   * `fetch` request with `credentials: "omit"`.
   */
  readonly cookies: CookieJar | undefined;
  /** True when the cookies come from a jar of this request, and not from the jar of the client. */
  readonly hasOwnCookies: boolean;
  /**
   * Calls the callback `credentials` of the request or of the client, with the host and port of the URL. For a URL
   * without a host, the callback receives the host and port of `request`. Throws `plugin` unless a step of the plan has
   * this host and port as target. Resolves to `undefined` when there is no callback, or when the callback returns
   * nothing or a login that a server of another origin must not receive. When the callback returns credentials, {@link
   * reportSecretSent} is called automatically.
   */
  requestCredentials(request: CredentialRequest): Promise<Credentials | undefined>;
  /** Parses a URL of any scheme as the client does. Throws `UrlSyntaxError`. */
  parse(text: string): Url;
  /**
   * Reports that a server receives a secret of the user. After a secret has been sent, error messages and trace show
   * only common words of server texts. The plans and trace texts of a scheme must not contain the secret.
   */
  reportSecretSent(): void;
  /** The URLs that have redirected to this URL, in order. */
  readonly redirectChain: readonly RedirectChainEntry[];
  /**
   * True after a redirect to another origin, and for a URL outside the origin of the base URL of an extended client. A
   * server of another origin must not receive credentials of the scheme's options, such as a client certificate.
   */
  readonly isCrossOrigin: boolean;
  /**
   * Continues the operation at the URL of a redirect. The policy's rules for redirects, and the maximum number of
   * redirects, apply to the URL of the redirect. `reason` appears in the `redirectChain` of the resource, by default as
   * `"redirect"`. Before the redirect, the client closes all connections of this hop that are not detached.
   */
  redirectTo(url: Url, reason?: string, changes?: RedirectChanges): Promise<R>;
  /**
   * Returns the state of the scheme that requests with the same policy and proxy share, such as a connection pool. The
   * first call creates the shared state, and the client closes the state at the latest when the client itself closes.
   */
  getSharedState<T extends { close(): void }>(make: () => T): T;
  /**
   * Keeps a socket open after this request. A detached socket does not prevent the process from exiting. The client
   * calls `close` when another request waits for a new connection to the same server. Default: destroys the socket.
   */
  detachSocket(socket: Socket, close?: () => void): void;
  /** Adds a detached socket to this request. The end of the request closes the socket, unless it is detached again. */
  attachSocket(socket: Socket): void;
  /**
   * Sets the plan step that is being executed, which errors and trace events name. A step `connect` also selects the
   * proxy for its target, so a scheme with several servers begins this step before it asks for connections or shared
   * state.
   */
  beginStep(step: Step): void;
  /** The plan step that `beginStep` has last set. */
  readonly currentStep: Step | undefined;
  /** Emits a trace event of the request, such as bytes sent or received. */
  trace(event: TraceEventInit): void;
  /** True when a listener receives the trace events. A scheme checks `isTraced` before it formats a long text. */
  readonly isTraced: boolean;
  /**
   * Converts an error to an `AccessError` with the operation, the URL and the plan step. Access methods call
   * `wrapError` for errors that occur after the resource was returned.
   */
  wrapError(operation: string, error: unknown): AccessError;
  /** Creates a `ContentResource`, the result of `dereference` that has a body. */
  createContent<X extends object = object>(init: ContentInit<X>): ContentResource & X;
  /** Creates a `DirectoryResource`, the result of `dereference` for a directory listing or menu. */
  createDirectory<E extends DirectoryEntry = DirectoryEntry, X extends object = object>(
    init: DirectoryInit<E, X>,
  ): DirectoryResource<E> & X;
  /** Creates a resource of a kind other than content and directory. */
  createResource<K extends BodilessResourceKind, X extends object = object>(
    resourceKind: K,
    ownFields: KindSpecificResourceFields<K> & X,
  ): Resource & { kind: K } & X;
}

/** The changes of a request at a redirect, as when http turns a POST into a GET. */
export interface RedirectChanges {
  /** The request options that replace the current options of the same names from the next hop on. Default: none. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /**
   * True when the next hop makes a different request, such as a GET after a POST. A different request to the URL of a
   * previous hop is no redirect loop. Default false.
   */
  readonly isNewRequest?: boolean | undefined;
}

export interface TraceEventInit {
  readonly action:
    | "resolve"
    | "connect"
    | "tls"
    | "send"
    | "receive"
    | "transfer"
    | "close"
    | "redirect"
    | "retry"
    | "cache";
  readonly text: string;
}

/** The methods of a cookie jar that the client uses. A `CookieJar` of the package tough-cookie has these methods. */
export interface CookieJar {
  /** Resolves to the value of the Cookie header for a URL, or to an empty text. RFC 6265 §5.4. */
  getCookieString(url: string): Promise<string>;
  /** Stores the cookie of one Set-Cookie header, or ignores an invalid cookie. RFC 6265 §5.3. */
  setCookie(cookie: string, url: string, options: { readonly ignoreError: true }): Promise<unknown>;
}

/** A server's request for a password or an account. RFC 1738 §3.2.1. */
export interface CredentialRequest {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** The user name of the URL, if the URL has one. */
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  /**
   * The kind of secret that the server asks for: a password, or an account of FTP (RFC 959). Only FTP servers ask for
   * an account.
   */
  readonly requestedSecret: "password" | "account";
}

export interface Credentials {
  readonly user?: string | undefined;
  /** The password, or the value of the FTP account if the server asks for an account. */
  readonly password: string;
}

/** The source from which a content resource reads the bytes of its body. */
export interface ByteSource {
  /**
   * Passes chunks to `onChunk` until it returns false, or until the bytes end as the protocol allows. Resolves to
   * `"more"` if further bytes of the body may follow, and to `"end"` when the body has ended as the protocol allows.
   * Rejects when the bytes end before the protocol allows the end. The receiver owns a chunk: the source does not
   * change its bytes afterwards.
   */
  readChunks(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end">;
  /** Discards the unread bytes and frees the resources of the source. */
  cancel(): void;
}

export interface ContentInit<X extends object = object> {
  readonly source: ByteSource;
  /**
   * The completeness of a body that ended regularly, or a function that returns the completeness. Default `"verified"`.
   */
  readonly completeness?: Completeness | (() => Completeness) | undefined;
  /**
   * Limits the total number of bytes received from the server, with content codings such as gzip. The client calls
   * `limitReceivedBytes` before the first read, and again when a program collects the body of a `fetch` response.
   * Reading more than `maxBytes` bytes fails with `limit`. Access methods that decode content codings need this
   * function, because the received bytes differ from the body. By default, the client limits only the decoded body.
   */
  readonly limitReceivedBytes?: ((maxBytes: number) => void) | undefined;
  /** The media type, as in `text/plain; charset=utf-8`. Default `application/octet-stream`. */
  readonly mediaType?: string | undefined;
  /**
   * The size of the body in bytes that the server stated. A body that ends regularly with another size than the server
   * stated fails with `incomplete`.
   */
  readonly size?: number | undefined;
  /** The size of the whole content in bytes, if the scheme supports the option `range`. Default: unknown. */
  readonly totalSize?: number | undefined;
  /** True when the body may be longer than `size`, because the file may have grown meanwhile. Default false. */
  readonly sizeMayGrow?: boolean | undefined;
  readonly modified?: Date | undefined;
  /**
   * The status and headers of the result of `toResponse()`. By default, the `Response` has status 200, and headers for
   * media type, size and modification time.
   */
  readonly response?: (() => ResponseHead) | undefined;
  /** Decodes the bytes for `text()`. Default: by byte order mark, else by charset of the media type, else as UTF-8. */
  readonly decodeText?: ((bytes: Uint8Array) => string) | undefined;
  /** Properties that only this scheme's resources have. */
  readonly schemeProperties?: X | undefined;
}

/** A response of the Fetch standard without its body. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<readonly [name: string, value: string]>;
}

export interface DirectoryInit<E extends DirectoryEntry = DirectoryEntry, X extends object = object> {
  readonly entries: AsyncIterable<E> | Iterable<E>;
  /**
   * The completeness of a listing that ended regularly, or a function that returns the completeness. Default
   * `"verified"`.
   */
  readonly completeness?: DirectoryCompleteness | (() => DirectoryCompleteness) | undefined;
  /** Discards the directory entries that have not been read yet. */
  cancel?(): void;
  /** Properties that only this scheme's resources have. */
  readonly schemeProperties?: X | undefined;
}
