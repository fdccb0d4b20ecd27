import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { readRequestHead } from "../test-client.ts";

export const OK_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";

/** Returns a 401 response with the given challenges. */
export const createUnauthorizedResponse = (challenges: string, status = "401 Unauthorized"): string =>
  `HTTP/1.1 ${status}\r\n${challenges}Content-Length: 3\r\n\r\nno!`;

/** Starts a server that responds with status 401 unless it accepts the Authorization header. */
export function startAuthenticatingServer(
  challenges: string,
  isAccepted: (authorization: string) => boolean,
): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    for (let lines = await readRequestHead(peer); lines.length > 0; lines = await readRequestHead(peer)) {
      const authorization = lines.find((line) => line.startsWith("authorization: "))?.slice(15);
      peer.send(
        authorization !== undefined && isAccepted(authorization)
          ? OK_RESPONSE
          : createUnauthorizedResponse(challenges),
      );
    }
  });
}

/** Returns the Authorization headers of the received requests, with `undefined` for a request without the header. */
export function listReceivedAuthorizationHeaders(received: Buffer): (string | undefined)[] {
  const heads = received.toString().split("\r\n\r\n").slice(0, -1);
  return heads.map((head) => /^authorization: (.*)\r?$/m.exec(head)?.[1]?.trim());
}

/** Returns the Authorization header of Basic. */
export const createBasicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
