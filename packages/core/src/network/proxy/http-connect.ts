import { AccessError } from "../../errors/access-error.ts";
import { createLimitError, type CoreLimits } from "../../policy/limits.ts";
import type { Endpoint } from "../../scheme/plan.ts";
import type { GuardContext, Socket } from "../guard-context.ts";
import { readProxyHandshakeReply } from "./read-handshake-reply.ts";
import { describeProxy, PROXY_LOGIN_ADVICE, type ParsedProxyServerSettings } from "./proxy-settings.ts";

/**
 * Asks an HTTP proxy for a connection to a server. Throws `unavailable` when the proxy cannot connect to the server,
 * `proxy` for every other refusal, and `limit`. RFC 9110 §9.3.6.
 */
export async function requestHttpTunnel(
  context: GuardContext,
  proxy: ParsedProxyServerSettings,
  socket: Socket,
  server: Endpoint,
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
  checkStatus(head.status, proxy, server);
}

const CR = 13;
const LF = 10;
const SAMPLE_STATUS_LINE_START = "HTTP/1.1 200 ";

/**
 * Reads the status of the proxy's response to CONNECT, and skips its header fields. Interim responses (1xx) are
 * skipped, except 101, which ends the HTTP of the connection.
 */
function createHeadReader(
  proxy: ParsedProxyServerSettings,
  limits: CoreLimits,
): { readonly status: number; add(bytes: Buffer): Buffer | undefined } {
  let status = 0;
  let receivedBytes = 0;
  /** The first bytes of the current head, up to the length of `SAMPLE_STATUS_LINE_START`. */
  let headStart = "";
  /** The length of the current line of the proxy's response, without its LF. */
  let lineBytes = 0;
  let previousByte = 0;
  return {
    get status() {
      return status;
    },
    /** Reads each byte of the proxy's response once. Returns the bytes after the head of the final response. */
    add(bytes) {
      for (const [index, byte] of bytes.entries()) {
        if (++receivedBytes > limits.maxHeaderBytes)
          throw createLimitError(
            "maxHeaderBytes",
            limits,
            `the answer of ${describeProxy(proxy)} is too long`,
          );
        if (headStart.length < SAMPLE_STATUS_LINE_START.length) {
          headStart += String.fromCharCode(byte);
          if (!isPossibleStatusLine(headStart))
            throw new AccessError("proxy", `${describeProxy(proxy)} does not answer as an HTTP proxy`);
        }
        const isEmptyLine = lineBytes === 0 || (lineBytes === 1 && previousByte === CR);
        previousByte = byte;
        lineBytes = byte === LF ? 0 : lineBytes + 1;
        if (byte !== LF || !isEmptyLine) continue;
        status = Number(headStart.slice(9, 12));
        if (status >= 200 || status === 101) return bytes.subarray(index + 1);
        headStart = "";
      }
      return undefined;
    },
  };
}

/** True for a status line and for the beginning of a status line. RFC 9112 §4. */
function isPossibleStatusLine(headStart: string): boolean {
  const start = headStart.replace(/[\r\n].*$/s, " ");
  return /^HTTP\/1\.[01] [1-9]\d\d /.test(start + SAMPLE_STATUS_LINE_START.slice(start.length));
}

function checkStatus(status: number, proxy: ParsedProxyServerSettings, { host, port }: Endpoint): void {
  if (status >= 200 && status < 300) return;
  if (status === 407) {
    throw new AccessError(
      "proxy",
      proxy.login
        ? `${describeProxy(proxy)} refuses the login (status 407)`
        : `${describeProxy(proxy)} requires a login (status 407)`,
      {
        advice: proxy.login ? undefined : PROXY_LOGIN_ADVICE,
      },
    );
  }
  if (status >= 500)
    throw new AccessError("unavailable", `${describeProxy(proxy)} answers with status ${status}`);
  const reason = `${describeProxy(proxy)} refuses a connection to ${host} port ${port} (status ${status})`;
  throw new AccessError("proxy", reason, {
    advice:
      status === 403 || status === 405 ? "many HTTP proxies allow connections to port 443 only" : undefined,
  });
}
