import { type Client, createClient, type Limits, anyAddress } from "@anyscheme/core";
import type { ServiceOptions, ServiceSession, TraceListener } from "@anyscheme/core/plugin";
import { type LoopbackServer, type Script, startScriptedServer } from "@anyscheme/core/testing";
import { type AcceptedOption, telnet } from "@anyscheme/scheme-others/telnet";

export interface SessionOptions extends ServiceOptions {
  readonly accept?: readonly AcceptedOption[] | undefined;
  readonly limits?: Partial<Limits>;
  readonly transcript?: TraceListener;
  readonly signal?: AbortSignal;
}

/** A service that follows a script, and a session with it. */
export interface TestSession extends AsyncDisposable {
  readonly server: LoopbackServer;
  readonly client: Client;
  readonly session: ServiceSession;
  /** All that the service shows up to its end. */
  readAll(): Promise<string>;
  /** Sends one character a byte. */
  type(text: string): Promise<void>;
  /** Ends the user's side. */
  end(): Promise<void>;
}

/** Opens a session with a server that follows a script. */
export async function startSession(
  script: Script,
  { limits, transcript, signal, accept, ...options }: SessionOptions = {},
): Promise<TestSession> {
  const server = await startScriptedServer(script);
  const client = createClient({
    schemes: [telnet({ accept })],
    policy: anyAddress({ allowPorts: { telnet: [server.port] } }),
    limits,
    trace: transcript,
  });
  const service = await client.dereference(`telnet://bob:n33dle@127.0.0.1:${server.port}/`, { signal });
  const session = await service.connect(options);
  const writer = session.writable.getWriter();
  return {
    server,
    client,
    session,
    readAll: () => readText(session.readable),
    type: (text) => writer.write(Buffer.from(text, "latin1")),
    end: () => writer.close(),
    async [Symbol.asyncDispose]() {
      await client.destroy();
      await server.stop();
    },
  };
}

/** A stream to its end, one character a byte. */
export async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}
