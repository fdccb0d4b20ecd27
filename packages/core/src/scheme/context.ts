// What the client gives an access method: connections, credentials, trace and resources.
import type { AccessError } from "../errors/access-error.ts";
import type { Socket } from "../network/connector.ts";
import type { Limits } from "../policy/limits.ts";
import type { Url } from "../syntax/index.ts";
import type { ContentInit, DirectoryInit } from "./content.ts";
import type { Endpoint, Step } from "./plan.ts";
import type {
  ContentResource,
  DirectoryResource,
  Entry,
  RedirectEntry,
  Resource,
  ResourceProps,
  SimpleResourceKind,
} from "./resource.ts";

/** The target of a connection: a server of the plan, or the peer of an open connection, as for FTP's data connections. */
export type ConnectTarget = Endpoint | { readonly samePeerAs: Socket; readonly port: number };

export interface ConnectOptions {
  /** Receives into buffers of the receiver instead of emitting `data` events. `SocketReader` uses it. */
  readonly onread?: { buffer(): Uint8Array; callback(length: number): boolean } | undefined;
}

/** Where a request gets a pooled connection from. `C` is what the scheme's pool holds. */
export interface ConnectionSource<C> {
  /** Takes an idle connection out of the pool, attached to this request. */
  takeIdle(): C | undefined;
  /** Connects to the target once and prepares the connection for requests, as with TLS or a login. */
  open(): Promise<C>;
  /** True for an error of `open` by which the server says that it has too many connections. The client then waits and retries. */
  isServerFull?(error: unknown): boolean;
  /** Puts a new connection into the pool, because another became idle first. Without it, a request waits for its own connection. */
  keepIdle?(connection: C): void;
}

export interface TlsOptions {
  /** PEM certificates that are trusted instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
  /** The client certificate with its chain, and its private key, both in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Decrypts `key`. */
  readonly passphrase?: string | undefined;
  readonly alpnProtocols?: readonly string[] | undefined;
  /** Resumes the session of this TLS connection, as FTP servers require of data connections. */
  readonly resumeSessionOf?: Socket | undefined;
}

/** Datagrams to and from one checked address and port. Datagrams from others are dropped. */
export interface DatagramSocket {
  /** Throws `unavailable` when the peer or the network refuses. */
  send(bytes: Uint8Array): Promise<void>;
  /** Resolves to the next datagram, or to `undefined` after `timeoutMs`. Throws `unavailable` when the peer refuses. */
  receive(options?: ReceiveOptions): Promise<Uint8Array | undefined>;
  close(): void;
}

export interface ReceiveOptions {
  /** In milliseconds. Default: until the request ends. */
  readonly timeoutMs?: number | undefined;
  /** Aborts this wait. */
  readonly signal?: AbortSignal | undefined;
}

export interface DatagramOptions {
  /** True when a server has named the target: the policy for redirects applies to it. Default false. */
  readonly redirected?: boolean | undefined;
}

/** All that an access method may use. A scheme without another way to a socket cannot bypass the guard. `R` is the operation's result. */
export interface AccessContext<R = Resource> {
  /**
   * Opens a connection under the rules for port, name and address, to the checked address only. Waits while
   * `maxConnectionsPerHost` connections to the host and port are open. Throws `timeout` when none closes in time.
   */
  connect(target: ConnectTarget, options?: ConnectOptions): Promise<Socket>;
  /**
   * Takes an idle connection, or opens one. Waits as `connect` does, first come, first served, and takes the first connection that
   * another request releases. Throws what `open` throws, and `timeout`.
   */
  acquireConnection<C>(target: Endpoint, source: ConnectionSource<C>): Promise<C>;
  /**
   * Notes that a server refused part of a request because it has too many connections. The client opens fewer from now on. Resolves
   * to true when a retry on another connection makes sense.
   */
  reportServerFull(target: Endpoint): Promise<boolean>;
  /** Opens a datagram socket under the rules of `connect`. */
  openDatagramSocket(target: Endpoint, options?: DatagramOptions): Promise<DatagramSocket>;
  /** Starts TLS on a connection and verifies the certificate for `host`. Throws `unavailable`. */
  startTls(socket: Socket, host: string, options?: TlsOptions): Promise<Socket>;
  /** Aborts with the caller's signal, at a time limit, and when the client is destroyed. */
  readonly signal: AbortSignal;
  readonly limits: Limits;
  /**
   * Calls the client's `credentials`. Resolves to `undefined` without a callback or an answer. An answer counts as
   * {@link noteSecretSent}. Host and port are those of the URL, or else of a step of the plan: others throw `plugin`.
   */
  requestCredentials(request: CredentialRequest): Promise<Credentials | undefined>;
  /** Parses a URL of any scheme as the client does. Throws `UrlSyntaxError`. */
  parse(text: string): Url;
  /**
   * Notes that a server receives a secret of the user. From now on, messages and trace show only ordinary words of servers. Plans and
   * trace texts of the scheme must not contain the secret.
   */
  noteSecretSent(): void;
  /** The URLs before this one, the first one first. */
  readonly redirectChain: readonly RedirectEntry[];
  /**
   * Continues the operation at another URL, under all rules for redirects. `reason` appears in `redirectChain`; default `"redirect"`.
   * Closes the connections of this hop first, except detached ones.
   */
  redirectTo(url: Url, reason?: string): Promise<R>;
  /**
   * Returns the state that a scheme keeps between requests under one policy, such as a connection pool. The first call makes it, and
   * the client closes it.
   */
  getShared<T extends { close(): void }>(make: () => T): T;
  /**
   * Keeps a socket open after this request. It does not keep the process alive. The client calls `close` when another request needs
   * the connection's place. Default: destroys the socket.
   */
  detach(socket: Socket, close?: () => void): void;
  /** Makes a detached socket part of this request, which closes it at its end. */
  attach(socket: Socket): void;
  /** Notes the step that is now performed, for errors and trace. */
  beginStep(step: Step): void;
  /** Emits what was sent or received. */
  trace(event: TraceMessage): void;
  /** Adds operation, URL and step to an error that occurs after the resource was returned. */
  wrapError(operation: string, error: unknown): AccessError;
  /** Creates the resource of a file. */
  createContent<X extends object = object>(init: ContentInit<X>): ContentResource & X;
  /** Creates the resource of a directory or menu. */
  createDirectory<E extends Entry = Entry, X extends object = object>(
    init: DirectoryInit<E, X>,
  ): DirectoryResource<E> & X;
  /** Creates a resource of any other kind. */
  createResource<K extends SimpleResourceKind, X extends object = object>(
    kind: K,
    own: ResourceProps<K> & X,
  ): Resource & { kind: K } & X;
}

export interface TraceMessage {
  readonly action: "resolve" | "connect" | "tls" | "send" | "receive" | "transfer" | "close" | "redirect";
  readonly text: string;
}

/** A server's request for a password or an account. RFC 1738 §3.2.1. */
export interface CredentialRequest {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** The user name of the URL. Absent when the URL has none. */
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  readonly kind: "password" | "account";
}

export interface Credentials {
  readonly user?: string | undefined;
  /** The password or the account, as requested. */
  readonly password: string;
}
