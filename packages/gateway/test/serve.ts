import { type Client, createClient, type Policy, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, type Script, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { type Agent, request } from "node:http";
import { type GatewayOptions, type Listening, startGateway } from "../src/index.ts";

/** A gateway in front of servers on loopback, for the length of one test. */
export interface Fixture extends AsyncDisposable {
  readonly gateway: Listening;
  /** The start of its own addresses. */
  readonly origin: string;
  /** What it answers; `target` goes out as it is. */
  get(target: string, options?: GetOptions): Promise<Answer>;
}

export interface GetOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: a connection of its own. */
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Whether the answer came to its regular end. */
  readonly whole: boolean;
}

/** Starts a gateway that may reach these ports of loopback. */
export async function startFixture(
  ports: readonly number[],
  options: GatewayOptions = {},
  policy: Policy = anyAddress({ allowPorts: { gopher: ports, http: ports, ftp: ports } }),
): Promise<Fixture> {
  const client: Client = createClient({ schemes: [ftp(), gopher(), http()], policy });
  const gateway = await startGateway(client, { port: 0, ...options });
  return {
    gateway,
    origin: `http://127.0.0.1:${gateway.port}`,
    get: (target, how) => ask(gateway.port, target, how),
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await client.destroy();
    },
  };
}

/** A gopher server with an answer for each selector; everything else it does not have. */
export function startGopher(answers: Readonly<Record<string, string>>): Promise<LoopbackServer> {
  const script: Script = async (peer) => {
    const selector = (await peer.line()) ?? "";
    peer.send(answers[selector] ?? `3'${selector}' does not exist\t\terror.host\t1\r\n.\r\n`);
  };
  return startScriptedServer(script);
}

/** Asks the gateway at a port. */
export function ask(
  port: number,
  target: string,
  { method = "GET", headers = {}, body, agent }: GetOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path: target, method, headers, agent: agent ?? false });
    asking.once("error", reject);
    asking.once("response", (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.once("close", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString("utf8"),
          whole: response.complete,
        }),
      );
      response.on("error", () => undefined);
    });
    asking.end(body);
  });
}
