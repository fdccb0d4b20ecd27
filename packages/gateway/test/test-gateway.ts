import { type Client, createClient, type Policy, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { type Agent, request } from "node:http";
import { type GatewayServerOptions, type GatewayServer, startGateway } from "../src/index.ts";

/** A gateway for one test, which accesses servers on the loopback address. */
export interface TestGateway extends AsyncDisposable {
  readonly gateway: GatewayServer;
  /** The origin of the gateway, as in `http://127.0.0.1:8070`. */
  readonly origin: string;
  /** Sends an HTTP request to the gateway without a change of the request target. */
  request(target: string, options?: TestRequestOptions): Promise<ReceivedGatewayResponse>;
}

export interface TestRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The HTTP agent of Node.js that sends the request. Default: a new connection. */
  readonly agent?: Agent;
}

export interface ReceivedGatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** False when the gateway closed the connection before the end of the response. */
  readonly isComplete: boolean;
}

/** Starts a gateway that may connect to the given ports of the loopback address. */
export async function startTestGateway(
  ports: readonly number[],
  options: GatewayServerOptions = {},
  policy: Policy = anyAddress({ allowPorts: { gopher: ports, http: ports, ftp: ports } }),
): Promise<TestGateway> {
  const client: Client = createClient({ schemes: [ftp(), gopher(), http()], policy });
  const gateway = await startGateway(client, { port: 0, ...options });
  return {
    gateway,
    origin: `http://127.0.0.1:${gateway.port}`,
    request: (target, getOptions) => sendRequestToGateway(gateway.port, target, getOptions),
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await client.destroy();
    },
  };
}

/** Starts a Gopher server that sends the given responses by selector, and an error for any other selector. */
export function startGopherServer(responses: Readonly<Record<string, string>>): Promise<LoopbackServer> {
  const script: ServerScript = async (peer) => {
    const selector = (await peer.readLine()) ?? "";
    peer.send(responses[selector] ?? `3'${selector}' does not exist\t\terror.host\t1\r\n.\r\n`);
  };
  return startScriptedServer(script);
}

/** Sends an HTTP request to the gateway on the given port. */
export function sendRequestToGateway(
  port: number,
  target: string,
  { method = "GET", headers = {}, body, agent }: TestRequestOptions = {},
): Promise<ReceivedGatewayResponse> {
  return new Promise((resolve, reject) => {
    const message = request({
      host: "127.0.0.1",
      port,
      path: target,
      method,
      // A browser accepts HTML. A test of a client that does not accept HTML sets its own `Accept` field.
      headers: { accept: "text/html", ...headers },
      agent: agent ?? false,
    });
    message.once("error", reject);
    message.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("close", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString("utf8"),
          isComplete: response.complete,
        }),
      );
      response.on("error", () => undefined);
    });
    message.end(body);
  });
}
