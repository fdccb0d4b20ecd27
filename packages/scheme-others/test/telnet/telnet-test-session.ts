import {
  type Client,
  createClient,
  type LimitChanges,
  anyAddress,
  type ServiceSessionOptions,
  type ServiceSession,
} from "@anyscheme/core";
import type { TraceListener } from "@anyscheme/core/plugin";
import { type LoopbackServer, type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import { type AcceptableTelnetOption, telnet } from "@anyscheme/scheme-others/telnet";

export interface TelnetTestSessionOptions extends ServiceSessionOptions {
  readonly acceptTelnetOptions?: readonly AcceptableTelnetOption[] | undefined;
  readonly limits?: LimitChanges;
  readonly traceListener?: TraceListener;
  readonly signal?: AbortSignal;
}

/** A scripted server, and a Telnet session with the server. */
export interface TelnetTestSession extends AsyncDisposable {
  readonly server: LoopbackServer;
  readonly client: Client;
  readonly session: ServiceSession;
  /** Reads all data of the server up to the end of the session. */
  readAll(): Promise<string>;
  /** Sends a text to the session, one byte per character. */
  sendText(text: string): Promise<void>;
  /** Ends the input. */
  endInput(): Promise<void>;
}

/** Starts a scripted server and opens a Telnet session with the server. */
export async function startTelnetTestSession(
  script: ServerScript,
  { limits, traceListener, signal, acceptTelnetOptions, ...options }: TelnetTestSessionOptions = {},
): Promise<TelnetTestSession> {
  const server = await startScriptedServer(script);
  const client = createClient({
    schemes: [telnet({ acceptTelnetOptions })],
    policy: anyAddress({ allowPorts: { telnet: [server.port] } }),
    limits,
    trace: traceListener,
  });
  const service = await client.dereference(`telnet://bob:n33dle@127.0.0.1:${server.port}/`, { signal });
  const session = await service.connect(options);
  const writer = session.writable.getWriter();
  return {
    server,
    client,
    session,
    readAll: () => readStreamText(session.readable),
    sendText: (text) => writer.write(Buffer.from(text, "latin1")),
    endInput: () => writer.close(),
    async [Symbol.asyncDispose]() {
      await client.destroy();
      await server.stop();
    },
  };
}

/** Reads a stream to its end, with one character per byte. */
export async function readStreamText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const piece of stream) chunks.push(piece);
  return Buffer.concat(chunks).toString("latin1");
}
