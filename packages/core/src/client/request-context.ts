import type { Hash } from "node:crypto";
import { AccessError } from "../errors/access-error.ts";
import type { Limits } from "../policy/limits.ts";
import type { Socket } from "../network/socket.ts";
import type {
  AccessContext,
  ConnectionSource,
  ContentInit,
  ContentResource,
  CredentialRequest,
  Credentials,
  DatagramOptions,
  DatagramSocket,
  ConnectOptions,
  ConnectTarget,
  DirectoryInit,
  DirectoryResource,
  Entry,
  Hop as Via,
  ResourceProps,
  SimpleResourceKind,
  Plan,
  Resource,
  TlsOptions,
  Step,
  Endpoint,
  TraceMessage,
} from "../scheme/scheme.ts";
import type { InternetUrl, Url } from "../syntax/index.ts";
import { classify } from "../errors/to-access-error.ts";
import { Connecting } from "./connections/open-connection.ts";
import { Content, type Origin } from "../resources/content.ts";
import { Directory } from "../resources/directory.ts";
import type { Hop } from "./request.ts";
import { makeResource } from "../resources/create-resource.ts";

/** What a hop lets its access method do. A class, because an object of closures would take longer to make than all else of a hop. */
export class Context implements AccessContext {
  readonly limits: Limits;
  readonly redirectChain: readonly Via[];
  readonly #hop: Hop;
  readonly #plan: Plan;
  readonly #digest: Hash | undefined;
  readonly #connecting: Connecting;

  constructor(hop: Hop, plan: Plan, digest: Hash | undefined) {
    this.limits = hop.call.limits;
    this.redirectChain = hop.redirectChain;
    this.#hop = hop;
    this.#plan = plan;
    this.#digest = digest;
    this.#connecting = new Connecting(hop);
  }

  get signal(): AbortSignal {
    return this.#hop.scope.signal;
  }

  connect(target: ConnectTarget, options?: ConnectOptions): Promise<Socket> {
    return this.#connecting.dial(target, options);
  }

  acquireConnection<C>(target: Endpoint, source: ConnectionSource<C>): Promise<C> {
    return this.#connecting.connection(target, source);
  }

  reportServerFull(target: Endpoint): Promise<boolean> {
    return this.#connecting.serverIsFull(target);
  }

  async openDatagramSocket(target: Endpoint, options?: DatagramOptions): Promise<DatagramSocket> {
    const { datagram } = await import("../network/udp.ts");
    return datagram(options?.redirected ? this.#hop.onwardGate : this.#hop.gate, target);
  }

  async startTls(socket: Socket, host: string, options?: TlsOptions): Promise<Socket> {
    const { secure } = await import("../network/tls.ts");
    const secured = await secure(this.#hop.gate, socket, host, options);
    this.#connecting.secured(secured, socket);
    return secured;
  }

  async requestCredentials(question: CredentialRequest): Promise<Credentials | undefined> {
    const { options, redactor } = this.#hop.call;
    const answer = await options.credentials?.({ ...question, ...this.#serverFor(question) });
    if (answer) redactor.activate();
    return answer;
  }

  // A scheme that could ask for any host would get the passwords of all of them.
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
    return this.#hop.call.parse(text);
  }

  noteSecretSent(): void {
    this.#hop.call.redactor.activate();
  }

  redirectTo(url: Url, reason = "redirect"): Promise<Resource> {
    // The next hop may need the place of this hop's connection.
    this.#hop.scope.closeSockets();
    return this.#hop.call.follow(url, this.#hop, reason) as Promise<Resource>;
  }

  getShared<T extends { close(): void }>(make: () => T): T {
    const { call, scheme, policies } = this.#hop;
    return call.shared.of(scheme, policies, make);
  }

  detach(socket: Socket, close = (): void => void socket.destroy()): void {
    this.#hop.release(socket);
    this.#connecting.released(socket, close);
  }

  attach(socket: Socket): void {
    this.#connecting.adopted(socket);
    const { call, scope } = this.#hop;
    if (call.shared.giveBack(socket)) call.redactor.activate();
    scope.adopt(socket);
    this.#hop.reached([socket.remoteAddress ?? ""]);
  }

  beginStep(step: Step): void {
    this.#hop.step = step;
  }

  trace(event: TraceMessage): void {
    this.#hop.trace(event);
  }

  wrapError(operation: string, error: unknown): AccessError {
    const { scope, shownStep } = this.#hop;
    const reason: unknown = scope.signal.aborted ? scope.signal.reason : error;
    return classify(reason).withContext(this.#hop.operation(operation), shownStep);
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
    return makeResource(kind, own, this.#origin());
  }

  /** What a resource has to know of the access that led to it. */
  #origin(): Origin {
    const hop = this.#hop;
    return {
      url: hop.url,
      redirectChain: this.redirectChain,
      plan: this.#plan,
      scope: hop.scope,
      limits: this.limits,
      onProgress: hop.call.options.onProgress,
      operation: (name) => hop.operation(name),
      digest: this.#digest,
      ended: (bytes, digest) =>
        hop.trace({
          action: "transfer",
          text: `${bytes} bytes${digest ? `, SHA-256 ${digest}` : ""}`,
        }),
    };
  }
}
