// What the gateway knows of HTTP: a request as a value, and a reply as an outflow. Only `listen.ts` knows the server.

/** One request, its head checked. */
export interface GatewayRequest {
  readonly method: string;
  /** The request target as it was sent: a path, or an absolute URL from a client that uses the gateway as its proxy. RFC 9112 §3.2. */
  readonly target: string;
  /** The first value of a header field; names in lower case. */
  header(name: string): string | undefined;
  /** Every value of a header field, in order; names in lower case. */
  values(name: string): readonly string[];
  /** The address of the client. */
  readonly client: string;
  /** The whole body. Throws `Refusal` for one that is too long. */
  body(): Promise<string>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** One reply. */
export interface GatewayReply {
  /** Whether nothing but its head is wanted. RFC 9110 §9.3.2. */
  readonly headOnly: boolean;
  /** Whether anything of it has been sent. */
  readonly begun: boolean;
  /** Says how it begins; sent with what follows. */
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** Resolves when more may be written. Rejects when the client has gone. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** The last of it, if there is any; a reply that has nothing else goes out in one piece. */
  end(last?: string): void;
  /** Ends the connection, so that what was sent is not taken for the whole. */
  cut(): void;
}

export type Handle = (request: GatewayRequest, reply: GatewayReply) => Promise<void>;
