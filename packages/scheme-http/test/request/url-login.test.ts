import type { CredentialRequest, Credentials } from "@anyscheme/core/plugin";
import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createServerUrl,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";
import {
  createUnauthorizedResponse,
  createBasicAuthorization,
  startAuthenticatingServer,
} from "./authenticating-server.ts";

const BASIC_CHALLENGE_HEADER = 'WWW-Authenticate: Basic realm="r"\r\n';

describe("the login in an http URL", () => {
  it("the client refuses a user name with a colon, and shows the password of a refused login in no error", async () => {
    await using server = await startAuthenticatingServer(
      BASIC_CHALLENGE_HEADER,
      (authorization) => authorization === createBasicAuthorization("bob:b", "n33dle "),
    );
    const url = createServerUrl(server).replace("//", "//bob%3Ab:n33dle%20@");
    await expect(getWithSharedTestClient(url)).rejects.toMatchObject({ code: "refused-characters" });
    const plain = url.replace("bob%3Ab:n33dle%20", "bob:n33dle");
    const error = await getRejectedError(getWithSharedTestClient(plain));
    expect(error).toMatchObject({ code: "authentication-required" });
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain("n33dle");
  });

  it("the login of the URL applies after a redirect to the same origin, and to no other origin", async () => {
    const received: string[] = [];
    let target = "/next";
    await using second = await startAuthenticatingServer(BASIC_CHALLENGE_HEADER, () => false);
    await using server = await startScriptedServer(async (peer) => {
      for (let lines = await readRequestHead(peer); lines.length > 0; lines = await readRequestHead(peer)) {
        received.push(lines[0] ?? "", ...lines.filter((line) => line.startsWith("authorization: ")));
        if (lines[0]?.startsWith("GET /next")) {
          const isKnown = lines.includes(`authorization: ${createBasicAuthorization("bob", "n33dle")}`);
          peer.send(
            isKnown
              ? "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nTARGET"
              : createUnauthorizedResponse(BASIC_CHALLENGE_HEADER),
          );
        } else peer.send(`HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`);
      }
    });
    const url = createServerUrl(server).replace("//", "//bob:n33dle@");
    expect(await (await getWithSharedTestClient(url)).text()).toBe("TARGET");
    expect(received.at(-1)).toBe(`authorization: ${createBasicAuthorization("bob", "n33dle")}`);
    target = createServerUrl(second);
    expect((await getRejectedError(getWithSharedTestClient(url))).code).toBe("authentication-required");
    expect(second.connections[0]?.received.toString()).not.toContain("authorization");
  });

  it("the client prefers the login of the URL to the option credentials", async () => {
    await using server = await startAuthenticatingServer(
      BASIC_CHALLENGE_HEADER,
      (authorization) => authorization === createBasicAuthorization("bob", "n33dle"),
    );
    const requests: number[] = [];
    const credentials = ({ port }: CredentialRequest): Credentials => {
      requests.push(port);
      return { user: "eve", password: "other" };
    };
    const resource = await getWithSharedTestClient(createServerUrl(server).replace("//", "//bob:n33dle@"), {
      credentials,
    });
    expect(await resource.text()).toBe("secret");
    expect(requests).toEqual([]);
    expect(server.connections[0]?.received.toString()).not.toContain(
      createBasicAuthorization("bob", "n33dle"),
    );
  });
});
