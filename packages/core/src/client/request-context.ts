import type { Hash } from "node:crypto";
import { AccessError } from "../errors/access-error.ts";
import type { Limits } from "../policy/limits.ts";
import type { Socket } from "../network/connector.ts";
import type {
  AccessContext,
  ConnectionSource,
  CredentialRequest,
  Credentials,
  DatagramOptions,
  DatagramSocket,
  ConnectOptions,
  ConnectTarget,
  TlsOptions,
  TraceMessage,
} from "../scheme/context.ts";
import type { ContentInit, DirectoryInit } from "../scheme/content.ts";
import type {
  ContentResource,
  DirectoryResource,
  Entry,
  RedirectEntry as Via,
  ResourceProps,
  SimpleResourceKind,
  Resource,
} from "../scheme/resource.ts";
import type { Plan, Step, Endpoint } from "../scheme/plan.ts";
import type { InternetUrl, Url } from "../syntax/index.ts";
import { ConnectionOpener, connectorFor } from "./connections/open-connection.ts";
import { Content, type ResourceOrigin } from "../resources/content.ts";
import { Directory } from "../resources/directory.ts";
import type { Hop } from "./hop.ts";
import { createResource } from "../resources/create-resource.ts";

/** The context of one hop for its access method. */
export class RequestContext implements AccessContext {
  readonly limits: Limits;
  readonly redirectChain: readonly Via[];
  readonly #hop: Hop;
  readonly #plan: Plan;
  readonly #digest: Hash | undefined;
  readonly #connecting: ConnectionOpener;

  constructor(hop: Hop, plan: Plan, digest: Hash | undefined) {
    this.limits = hop.request.limits;
    this.redirectChain = hop.redirectChain;
    this.#hop = hop;
    this.#plan = plan;
    this.#digest = digest;
    this.#connecting = new ConnectionOpener(hop);
  }

  get signal(): AbortSignal {
    return this.#hop.lifetime.signal;
  }

  connect(target: ConnectTarget, options?: ConnectOptions): Promise<Socket> {
    return this.#connecting.connect(target, options);
  }

  acquireConnection<C>(target: Endpoint, source: ConnectionSource<C>): Promise<C> {
    return this.#connecting.acquire(target, source);
  }

  reportServerFull(target: Endpoint): Promise<boolean> {
    return this.#connecting.reportServerFull(target);
  }

  async openDatagramSocket(target: Endpoint, options?: DatagramOptions): Promise<DatagramSocket> {
    const { openDatagramSocket: datagram } = await import("../network/udp.ts");
    return datagram(
      connectorFor(this.#hop, options?.redirected ? this.#hop.redirectOrigin : undefined),
      target,
    );
  }

  async startTls(socket: Socket, host: string, options?: TlsOptions): Promise<Socket> {
    const { startTls: secure } = await import("../network/tls.ts");
    const secured = await secure(connectorFor(this.#hop), socket, host, options);
    this.#connecting.noteTls(secured, socket);
    return secured;
  }

  async requestCredentials(question: CredentialRequest): Promise<Credentials | undefined> {
    const { options, redactor } = this.#hop.request;
    const answer = await options.credentials?.({ ...question, ...this.#serverFor(question) });
    if (answer) redactor.activate();
    return answer;
  }

  // A scheme must not get the passwords of other hosts.
  #serverFor({ host, port }: Endpoint): Endpoint {
    const { url } = this.#hop;
    const { effectiveHost, effectivePort } = url as Partial<InternetUrl>;
    if (effectiveHost && effectivePort !== undefined) return { host: effectiveHost, port: effectivePort };
    if (this.#plan.steps.some(({ target }) => target?.host === host && target.port === port))
      return { host, port };
    const what = `the scheme ${url.scheme} asked for the credentials of a server that is not in its plan: ${host} port ${port}`;
    throw new AccessError("plugin", what);
  }

  parse(text: string): Url {
    return this.#hop.request.parse(text);
  }

  noteSecretSent(): void {
    this.#hop.request.redactor.activate();
  }

  redirectTo(url: Url, reason = "redirect"): Promise<Resource> {
    // The next hop may need the permits of this hop's connections.
    this.#hop.lifetime.destroySockets();
    return this.#hop.request.followRedirect(url, this.#hop, reason) as Promise<Resource>;
  }

  getShared<T extends { close(): void }>(make: () => T): T {
    const { request: call, scheme, policies } = this.#hop;
    return call.connectionStore.getOrCreate(scheme, policies, make);
  }

  detach(socket: Socket, close = (): void => void socket.destroy()): void {
    this.#hop.detach(socket);
    this.#connecting.noteIdle(socket, close);
  }

  attach(socket: Socket): void {
    this.#connecting.noteActive(socket);
    const { request, lifetime } = this.#hop;
    if (request.connectionStore.markActive(socket)) request.redactor.activate();
    lifetime.attach(socket);
    this.#hop.noteServerAddresses([socket.remoteAddress ?? ""]);
  }

  beginStep(step: Step): void {
    this.#hop.step = step;
  }

  trace(event: TraceMessage): void {
    this.#hop.trace(event);
  }

  wrapError(operation: string, error: unknown): AccessError {
    return this.#hop.wrapError(operation, error);
  }

  createContent<X extends object = object>(init: ContentInit<X>): ContentResource & X {
    const content = new Content(init, this.#origin());
    return init.extra ? Object.assign(content, init.extra) : (content as unknown as ContentResource & X);
  }

  createDirectory<E extends Entry = Entry, X extends object = object>(
    init: DirectoryInit<E, X>,
  ): DirectoryResource<E> & X {
    const directory = new Directory(init, this.#origin());
    return Object.assign(directory, init.extra) as DirectoryResource<E> & X;
  }

  createResource<K extends SimpleResourceKind, X extends object = object>(
    kind: K,
    own: ResourceProps<K> & X,
  ): Resource & { kind: K } & X {
    return createResource(kind, own, this.#origin());
  }

  /** Returns the parts of the hop that its resource needs. */
  #origin(): ResourceOrigin {
    const hop = this.#hop;
    return {
      url: hop.url,
      redirectChain: this.redirectChain,
      plan: this.#plan,
      lifetime: hop.lifetime,
      limits: this.limits,
      onProgress: hop.request.options.onProgress,
      errorContext: (name) => hop.errorContext(name),
      digest: this.#digest,
      onEnd: (bytes, digest) =>
        hop.trace({
          action: "transfer",
          text: `${bytes} bytes${digest ? `, SHA-256 ${digest}` : ""}`,
        }),
    };
  }
}
