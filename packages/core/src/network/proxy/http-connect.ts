import { AccessError } from "../../errors/access-error.ts";
import { createLimitError, type CoreLimits } from "../../policy/limits.ts";
import type { Endpoint } from "../../scheme/plan.ts";
import type { GuardContext, Socket } from "../guard-context.ts";
import { describeProxy, readProxyHandshakeReply } from "./read-handshake-reply.ts";
import type { ParsedProxyServerSettings } from "./proxy-settings.ts";

/**
 * Asks an HTTP proxy for a connection to a server. `failure` is the beginning of the message for a server that the
 * proxy cannot connect to. Throws `unavailable` when the proxy cannot connect to the server, `proxy` for every other
 * refusal, and `limit`. RFC 9110 §9.3.6.
 */
export async function requestHttpTunnel(
  context: GuardContext,
  proxy: ParsedProxyServerSettings,
  socket: Socket,
  server: Endpoint,
  failure: string,
): Promise<void> {
  const authority = `${server.host.includes(":") ? `[${server.host}]` : server.host}:${server.port}`;
  const { login } = proxy;
  const authorization = login
    ? `Proxy-Authorization: Basic ${Buffer.from(`${login.user}:${login.password}`).toString("base64")}\r\n`
    : "";
  const head = createHeadReader(proxy, context.limits);
  const answered = readProxyHandshakeReply(context, proxy, socket, (bytes) => head.add(bytes));
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  await answered;
  checkStatus(head.status, proxy, server, failure);
}

/** Reads the status of a response and skips its header fields. Interim responses (1xx) are skipped. */
function createHeadReader(
  proxy: ParsedProxyServerSettings,
  limits: CoreLimits,
): { readonly status: number; add(bytes: Buffer): Buffer | undefined } {
  let received = Buffer.alloc(0);
  let receivedBytes = 0;
  let status = 0;
  return {
    get status() {
      return status;
    },
    add(bytes) {
      received = Buffer.concat([received, bytes]);
      receivedBytes += bytes.length;
      for (;;) {
        const text = received.toString("latin1");
        const end = /\r?\n\r?\n/.exec(text);
        const headBytes =
          receivedBytes - received.length + (end ? end.index + end[0].length : received.length);
        if (headBytes > limits.maxHeaderBytes)
          throw createLimitError(
            "maxHeaderBytes",
            limits,
            `the answer of ${describeProxy(proxy)} is too long`,
          );
        if (!isPossibleStatusLine(text))
          throw new AccessError("proxy", `${describeProxy(proxy)} does not answer as an HTTP proxy`);
        if (!end) return undefined;
        received = received.subarray(end.index + end[0].length);
        status = Number(text.slice(9, 12));
        if (status >= 200) return received;
      }
    },
  };
}

/** True for a status line and for the beginning of a status line. RFC 9112 §4. */
function isPossibleStatusLine(text: string): boolean {
  const sample = "HTTP/1.1 200 ";
  const start = text.slice(0, sample.length).replace(/[\r\n].*$/s, " ");
  return /^HTTP\/1\.[01] [1-9]\d\d /.test(start + sample.slice(start.length));
}

function checkStatus(
  status: number,
  proxy: ParsedProxyServerSettings,
  { host, port }: Endpoint,
  failure: string,
): void {
  if (status < 300) return;
  if (status === 407) {
    throw new AccessError(
      "proxy",
      proxy.login
        ? `${describeProxy(proxy)} refuses the login (status 407)`
        : `${describeProxy(proxy)} requires a login (status 407)`,
      {
        advice: proxy.login
          ? undefined
          : "write the login into the URL of the proxy, before its host and an @",
      },
    );
  }
  if (status >= 500)
    throw new AccessError("unavailable", `${failure}: ${describeProxy(proxy)} answers with status ${status}`);
  const reason = `${describeProxy(proxy)} refuses a connection to ${host} port ${port} (status ${status})`;
  throw new AccessError("proxy", reason, {
    advice:
      status === 403 || status === 405 ? "many HTTP proxies allow connections to port 443 only" : undefined,
  });
}
