import { anyAddress, createClient } from "@anyscheme/core";
import type { CredentialRequest, Credentials } from "@anyscheme/core/plugin";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import {
  createServerUrl,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";
import {
  createBasicAuthorization,
  listReceivedAuthorizationHeaders,
  OK_RESPONSE,
  startAuthenticatingServer,
} from "./authenticating-server.ts";

const BASIC_CHALLENGE_HEADER = 'WWW-Authenticate: Basic realm="r"\r\n';
const DIGEST_CHALLENGE_HEADER = 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"\r\n';
const BOBS_AUTHORIZATION = createBasicAuthorization("bob", "n33dle");
const isBobsAuthorization = (authorization: string): boolean => authorization === BOBS_AUTHORIZATION;
const isDigestAuthorization = (authorization: string): boolean => authorization.startsWith("Digest ");

/** Returns the authentication schemes of the received requests, with `undefined` for a request without credentials. */
function listAuthorizationSchemes({ connections }: LoopbackServer): (string | undefined)[] {
  return connections
    .flatMap(({ received }) => listReceivedAuthorizationHeaders(received))
    .map((authorization) => authorization?.split(" ")[0]);
}

describe("the option preemptive sends the credentials in the first request", () => {
  it("with preemptive, the client sends the login of the URL in the first request", async () => {
    await using server = await startAuthenticatingServer(BASIC_CHALLENGE_HEADER, isBobsAuthorization);
    const url = createServerUrl(server).replace("//", "//bob:n33dle@");
    expect(await (await getWithSharedTestClient(url, { preemptive: true })).text()).toBe("secret");
    expect(server.connections.flatMap(({ received }) => listReceivedAuthorizationHeaders(received))).toEqual([
      BOBS_AUTHORIZATION,
    ]);
    expect(await (await getWithSharedTestClient(url)).text()).toBe("secret");
    // The request after the 401 response reuses the connection that has the same credentials.
    const connections = server.connections.map(({ received }) => listReceivedAuthorizationHeaders(received));
    expect(connections).toEqual([[BOBS_AUTHORIZATION, BOBS_AUTHORIZATION], [undefined]]);
  });

  it("the client sends the login that the option credentials returns before the realm is known", async () => {
    await using server = await startAuthenticatingServer(BASIC_CHALLENGE_HEADER, isBobsAuthorization);
    const requests: CredentialRequest[] = [];
    const credentials = (request: CredentialRequest): Credentials => {
      requests.push(request);
      return { user: "bob", password: "n33dle" };
    };
    const options = { preemptive: true, credentials };
    expect(await (await getWithSharedTestClient(createServerUrl(server), options)).text()).toBe("secret");
    expect(server.connections.flatMap(({ received }) => listReceivedAuthorizationHeaders(received))).toEqual([
      BOBS_AUTHORIZATION,
    ]);
    expect(requests).toMatchObject([
      { scheme: "http", host: "127.0.0.1", port: server.port, requestedSecret: "password" },
    ]);
    expect(requests[0]?.realm).toBeUndefined();
  });

  it("the client sends a plain request if the caller has no credentials", async () => {
    await using server = await startAuthenticatingServer(BASIC_CHALLENGE_HEADER, isBobsAuthorization);
    const credentials = (): undefined => undefined;
    const error = await getRejectedError(
      getWithSharedTestClient(createServerUrl(server), { preemptive: true, credentials }),
    );
    expect(error.code).toBe("authentication-required");
    expect(server.connections.flatMap(({ received }) => listReceivedAuthorizationHeaders(received))).toEqual([
      undefined,
    ]);
  });

  it("the client keeps the Authorization header of the caller", async () => {
    await using server = await startAuthenticatingServer(
      BASIC_CHALLENGE_HEADER,
      (authorization) => authorization === "Bearer t",
    );
    const url = createServerUrl(server).replace("//", "//bob:n33dle@");
    const resource = await getWithSharedTestClient(url, {
      preemptive: true,
      headers: { authorization: "Bearer t" },
    });
    expect(await resource.text()).toBe("secret");
  });

  it("the client sends refused credentials once, and shows them in no error", async () => {
    await using server = await startAuthenticatingServer(BASIC_CHALLENGE_HEADER, () => false);
    const url = createServerUrl(server).replace("//", "//bob:n33dle@");
    const error = await getRejectedError(getWithSharedTestClient(url, { preemptive: true }));
    expect(error).toMatchObject({ code: "authentication-required" });
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain("n33dle");
    expect(server.connections.flatMap(({ received }) => listReceivedAuthorizationHeaders(received))).toEqual([
      BOBS_AUTHORIZATION,
    ]);
  });

  it.each([
    ["the URL", "//bob:n33dle@", {}, 0],
    ["the option credentials", "//", {}, 1],
    ["the option credentials for a POST", "//", { method: "POST", body: "a=1" }, 1],
  ])(
    "the client repeats the login of %s with Digest if the server does not offer Basic",
    async (_, authority, options, credentialRequests) => {
      await using server = await startAuthenticatingServer(DIGEST_CHALLENGE_HEADER, isDigestAuthorization);
      const requests: CredentialRequest[] = [];
      const credentials = (request: CredentialRequest): Credentials => {
        requests.push(request);
        return { user: "bob", password: "n33dle" };
      };
      const url = createServerUrl(server).replace("//", authority);
      const resource = await getWithSharedTestClient(url, { ...options, credentials, preemptive: true });
      expect(await resource.text()).toBe("secret");
      expect(listAuthorizationSchemes(server)).toEqual(["Basic", "Digest"]);
      expect(requests).toHaveLength(credentialRequests);
    },
  );

  it.each([
    ["Digest, which the server refuses", DIGEST_CHALLENGE_HEADER, ["Basic", "Digest"]],
    ["Digest and Basic", `${DIGEST_CHALLENGE_HEADER}${BASIC_CHALLENGE_HEADER}`, ["Basic"]],
    ["only Negotiate", "WWW-Authenticate: Negotiate\r\n", ["Basic"]],
  ])(
    "the client sends the login no more often than the challenges allow: %s",
    async (_, challenges, schemes) => {
      await using server = await startAuthenticatingServer(challenges, () => false);
      const url = createServerUrl(server).replace("//", "//bob:n33dle@");
      const error = await getRejectedError(getWithSharedTestClient(url, { preemptive: true }));
      expect(error.code).toBe("authentication-required");
      expect(listAuthorizationSchemes(server)).toEqual(schemes);
    },
  );

  it("the client sends the credentials after a redirect to the same origin, and to no other origin", async () => {
    await using other = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(OK_RESPONSE);
    });
    let target = "/next";
    await using server = await startScriptedServer(async (peer) => {
      for (let lines = await readRequestHead(peer); lines.length > 0; lines = await readRequestHead(peer))
        peer.send(
          lines[0]?.startsWith("GET /next")
            ? OK_RESPONSE
            : `HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`,
        );
    });
    const credentials = (): Credentials => ({ user: "bob", password: "n33dle" });
    const url = createServerUrl(server);
    expect(await (await getWithSharedTestClient(url, { preemptive: true, credentials })).text()).toBe(
      "secret",
    );
    expect(server.connections.flatMap(({ received }) => listReceivedAuthorizationHeaders(received))).toEqual([
      BOBS_AUTHORIZATION,
      BOBS_AUTHORIZATION,
    ]);
    target = createServerUrl(other);
    for (const [start, options] of [
      [url, { preemptive: true, credentials }],
      [url.replace("//", "//bob:n33dle@"), { preemptive: true }],
    ] as const)
      expect(await (await getWithSharedTestClient(start, options)).text()).toBe("secret");
    expect(other.connections.flatMap(({ received }) => listReceivedAuthorizationHeaders(received))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("a request with preemptive does not reuse a connection of a request without credentials", async () => {
    await using server = await startAuthenticatingServer(BASIC_CHALLENGE_HEADER, isBobsAuthorization);
    await using client = createClient({ schemes: [http()], policy: anyAddress() });
    const url = createServerUrl(server).replace("//", "//bob:n33dle@");
    await client.dereference(createServerUrl(server)).catch(() => undefined);
    for (let count = 0; count < 2; count++) {
      const resource = await client.dereference(url, { preemptive: true });
      expect(resource.kind === "content" && (await resource.text())).toBe("secret");
    }
    const connections = server.connections.map(({ received }) => listReceivedAuthorizationHeaders(received));
    expect(connections).toEqual([[undefined], [BOBS_AUTHORIZATION, BOBS_AUTHORIZATION]]);
  });

  it("the plan shows credentials in the first request and after a 401 response, and no password", () => {
    const client = createClient({ schemes: [http()] });
    const shown = (options: object, operation?: "stat" | "put" | "delete"): string[] =>
      client
        .plan("http://bob:n33dle@h/a", { ...options, ...(operation && { operation }) })
        // The plan of a PUT also has the step after status 417.
        .steps.filter(({ action, onReply }) => action === "send" && onReply !== "417")
        .map(({ description }) => description);
    const again = "the client repeats the request with the user's credentials";
    for (const [operation, method] of [
      [undefined, "GET"],
      ["stat", "HEAD"],
      ["put", "PUT"],
      ["delete", "DELETE"],
    ] as const) {
      expect(shown({}, operation)).toEqual([`${method} /a HTTP/1.1`, again]);
      expect(shown({ preemptive: true }, operation)).toEqual([
        `${method} /a HTTP/1.1 with the user's credentials, if any`,
        again,
      ]);
    }
    expect(JSON.stringify(client.plan("http://bob:n33dle@h/a", { preemptive: true }))).not.toContain(
      "n33dle",
    );
  });

  it("the option preemptive accepts only true and false", async () => {
    const client = createClient({ schemes: [http()] });
    const options = { preemptive: "yes" } as never;
    expect(() => client.plan("http://h/", options)).toThrow(TypeError);
    await expect(client.dereference("http://h/", options)).rejects.toThrow(/preemptive/);
  });
});
