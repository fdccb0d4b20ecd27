import { createHash } from "node:crypto";
import type { CredentialAnswer, CredentialRequest, Credentials } from "@anyscheme/core/plugin";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { parseChallenges } from "../../src/request/challenge.ts";
import { createDigestHeaderFactory } from "../../src/request/digest.ts";
import {
  createSingleResponseScript,
  createServerUrl,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";
import {
  createUnauthorizedResponse,
  createBasicAuthorization,
  OK_RESPONSE,
  startAuthenticatingServer,
} from "./authenticating-server.ts";

/** Returns a credentials callback that records its calls. */
function createCredentialsCallback(login: Credentials | undefined): {
  credentials: () => Credentials | undefined;
  requests: CredentialRequest[];
} {
  const requests: CredentialRequest[] = [];
  const credentials = (question?: CredentialRequest): Credentials | undefined => {
    if (question) requests.push(question);
    return login;
  };
  return { credentials, requests };
}

const bobsCredentials = { user: "bob", password: "n33dle" };

describe("the client supports Basic authentication", () => {
  const challenge = 'WWW-Authenticate: Basic realm="a \\"realm\\""\r\n';

  it("the client requests credentials for the realm, and repeats the request with Basic on another connection", async () => {
    await using server = await startAuthenticatingServer(
      challenge,
      (authorization) => authorization === createBasicAuthorization("bob", "n33dle"),
    );
    const { credentials, requests } = createCredentialsCallback(bobsCredentials);
    const texts: string[] = [];
    const options = { credentials, trace: ({ text }: { text: string }) => void texts.push(text) };
    expect(await (await getWithSharedTestClient(createServerUrl(server), options)).text()).toBe("secret");
    const { port } = server;
    expect(requests).toEqual([
      {
        scheme: "http",
        host: "127.0.0.1",
        port,
        realm: 'a "realm"',
        requestedSecret: "password",
        isCrossOrigin: false,
      },
    ]);
    expect(server.connections.map(({ received }) => received.includes("authorization"))).toEqual([
      false,
      true,
    ]);
    expect(texts.join("\n")).not.toContain("n33dle");
    expect(texts.join("\n")).not.toContain(createBasicAuthorization("bob", "n33dle").slice(6));
    expect(texts.join("\n")).toContain("with the user's credentials");
  });

  it("Basic sends user name and password in UTF-8, and a missing user name as empty", async () => {
    for (const login of [{ user: "bøb", password: "pässwörd ☃" }, { password: "only" }]) {
      await using server = await startAuthenticatingServer(
        challenge,
        (authorization) => authorization === createBasicAuthorization(login.user ?? "", login.password),
      );
      expect(
        await (await getWithSharedTestClient(createServerUrl(server), { credentials: () => login })).text(),
      ).toBe("secret");
    }
  });

  it.each([
    { user: "b:ob", password: "x" },
    { user: "bob\r\nx: y", password: "x" },
    { user: "bob", password: "a\0" },
  ])(
    "Basic refuses the credentials %j, which contain a control byte or a colon in the user name",
    async (login) => {
      await using server = await startAuthenticatingServer(challenge, () => true);
      const failure = await getRejectedError(
        getWithSharedTestClient(createServerUrl(server), { credentials: () => login }),
      );
      expect(failure).toMatchObject({ code: "refused-characters" });
      expect(server.connections[0]?.received.toString()).not.toContain("authorization");
    },
  );

  it("a request without credentials or with wrong credentials throws authentication-required", async () => {
    for (const login of [undefined, bobsCredentials]) {
      await using server = await startAuthenticatingServer(challenge, () => false);
      const { credentials, requests } = createCredentialsCallback(login);
      expect(
        await getRejectedError(getWithSharedTestClient(createServerUrl(server), { credentials })),
      ).toMatchObject({
        code: "authentication-required",
      });
      expect(requests).toHaveLength(1);
      // After a 401 response, the client does not send an identical request again.
      const sent = server.connections.map(({ received }) => received.toString().match(/^GET /gm)?.length);
      expect(sent).toEqual(login ? [1, 1] : [1]);
    }
    await using server = await startAuthenticatingServer(challenge, () => false);
    expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).toMatchObject({
      code: "authentication-required",
    });
  });

  it("the client requests no credentials when the caller set Authorization or the challenge is unsupported", async () => {
    const { credentials, requests } = createCredentialsCallback(bobsCredentials);
    await using server = await startAuthenticatingServer(challenge, () => false);
    const options = { credentials, headers: { authorization: "Bearer x" } };
    expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server), options))).toMatchObject({
      code: "authentication-required",
    });
    for (const other of [
      "",
      "WWW-Authenticate: Negotiate\r\n",
      "WWW-Authenticate: Digest realm=x\r\n",
      "WWW-Authenticate: ,;=\r\n",
    ]) {
      await using strange = await startAuthenticatingServer(other, () => true);
      expect(
        await getRejectedError(getWithSharedTestClient(createServerUrl(strange), { credentials })),
      ).toMatchObject({
        code: "authentication-required",
      });
    }
    expect(requests).toEqual([]);
  });

  it("the client requests no credentials for a Proxy-Authenticate challenge", async () => {
    const { credentials, requests } = createCredentialsCallback(bobsCredentials);
    await using server = await startScriptedServer(
      createSingleResponseScript(
        createUnauthorizedResponse('Proxy-Authenticate: Basic realm="x"\r\n', "407 Proxy"),
      ),
    );
    expect(
      await getRejectedError(getWithSharedTestClient(createServerUrl(server), { credentials })),
    ).toMatchObject({
      code: "authentication-required",
    });
    expect(requests).toEqual([]);
  });

  it("the client sends the credentials of an origin to no other origin after a redirect", async () => {
    await using second = await startAuthenticatingServer(
      challenge,
      (authorization) => authorization === createBasicAuthorization("eve", "other"),
    );
    await using first = await startScriptedServer(async (peer) => {
      for (let lines = await readRequestHead(peer); lines.length > 0; lines = await readRequestHead(peer)) {
        const known = lines.some((line) => line.startsWith("authorization: "));
        peer.send(
          known
            ? `HTTP/1.1 302 Found\r\nLocation: ${createServerUrl(second)}\r\nContent-Length: 0\r\n\r\n`
            : createUnauthorizedResponse(challenge),
        );
      }
    });
    const requests: number[] = [];
    const credentials = ({ port }: CredentialRequest): CredentialAnswer => {
      requests.push(port);
      return port === first.port ? bobsCredentials : { user: "eve", password: "other", crossOrigin: true };
    };
    expect(await (await getWithSharedTestClient(createServerUrl(first), { credentials })).text()).toBe(
      "secret",
    );
    expect(requests).toEqual([first.port, second.port]);
    expect(second.connections[0]?.received.toString()).not.toContain(
      createBasicAuthorization("bob", "n33dle"),
    );
  });
});

describe("the client supports Digest authentication", () => {
  const fields = (authorization: string): Record<string, string> =>
    Object.fromEntries(
      [...authorization.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)].map(([, name, text, plain]) => [
        name ?? "",
        text ?? plain ?? "",
      ]),
    );
  const hash = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest("hex");

  /** Verifies a Digest response as a server does. RFC 7616 §3.4.1. */
  function isValidDigest(authorization: string, algorithm: string, session = false): boolean {
    const { username, realm, nonce, uri, response, cnonce, nc, qop } = fields(authorization);
    const secret = hash(algorithm, `bob:${realm}:n33dle`);
    const first = session ? hash(algorithm, `${secret}:${nonce}:${cnonce}`) : secret;
    const second = hash(algorithm, `GET:${uri}`);
    const expected = qop
      ? hash(algorithm, [first, nonce, nc, cnonce, qop, second].join(":"))
      : hash(algorithm, `${first}:${nonce}:${second}`);
    return username === "bob" && uri === "/dir/x?y" && response === expected;
  }

  it.each([
    ["MD5 by default", "", "md5", false],
    ["MD5", ", algorithm=MD5", "md5", false],
    ["MD5-sess", ", algorithm=MD5-sess", "md5", true],
    ["SHA-256", ', algorithm="SHA-256"', "sha256", false],
    ["SHA-256-sess", ", algorithm=SHA-256-sess", "sha256", true],
    ["SHA-512-256", ", algorithm=SHA-512-256", "sha512-256", false],
  ])(
    "a server accepts a Digest response with %s, which does not contain the password",
    async (_, parameter, algorithm, session) => {
      const challenge = `WWW-Authenticate: Digest realm="r", nonce="abc", qop="auth-int, auth"${parameter}, opaque="o"\r\n`;
      await using server = await startAuthenticatingServer(challenge, (authorization) =>
        isValidDigest(authorization, algorithm, session),
      );
      expect(
        await (
          await getWithSharedTestClient(createServerUrl(server, "/dir/x?y"), {
            credentials: () => bobsCredentials,
          })
        ).text(),
      ).toBe("secret");
      expect(server.connections.at(-1)?.received.toString()).not.toContain("n33dle");
      expect(server.connections.at(-1)?.received.toString()).toContain('opaque="o"');
    },
  );

  it("Digest follows RFC 2069 for a challenge without qop", async () => {
    await using server = await startAuthenticatingServer(
      'WWW-Authenticate: Digest realm="r", nonce="abc"\r\n',
      (authorization) => !authorization.includes("qop") && isValidDigest(authorization, "md5"),
    );
    expect(
      await (
        await getWithSharedTestClient(createServerUrl(server, "/dir/x?y"), {
          credentials: () => bobsCredentials,
        })
      ).text(),
    ).toBe("secret");
  });

  it("the client prefers Digest to Basic, and a stronger Digest algorithm to a weaker one", async () => {
    const challenges =
      'WWW-Authenticate: Basic realm="r", Digest realm="r", nonce="1", qop="auth"\r\n' +
      'WWW-Authenticate: Digest realm="r", nonce="2", qop="auth", algorithm=SHA-256\r\n';
    await using server = await startAuthenticatingServer(
      challenges,
      (authorization) => fields(authorization)["nonce"] === "2",
    );
    expect(
      await (
        await getWithSharedTestClient(createServerUrl(server), { credentials: () => bobsCredentials })
      ).text(),
    ).toBe("secret");
    for (const unknown of ["algorithm=SHA3", 'qop="auth-int"']) {
      const offer = `WWW-Authenticate: Digest realm="r", nonce="1", ${unknown}\r\nWWW-Authenticate: basic realm=r\r\n`;
      await using simple = await startAuthenticatingServer(offer, (authorization) =>
        authorization.startsWith("Basic "),
      );
      expect(
        await (
          await getWithSharedTestClient(createServerUrl(simple), { credentials: () => bobsCredentials })
        ).text(),
      ).toBe("secret");
    }
  });

  it("the client repeats a request with a stale Digest nonce at most once, and requests credentials once", async () => {
    let nonce = 0;
    const { credentials, requests } = createCredentialsCallback(bobsCredentials);
    const stale = (enough: number): Promise<LoopbackServer> =>
      startScriptedServer(async (peer) => {
        for (let lines = await readRequestHead(peer); lines.length > 0; lines = await readRequestHead(peer)) {
          const authorization = lines.find((line) => line.startsWith("authorization: "));
          if (authorization && nonce >= enough) peer.send(OK_RESPONSE);
          else
            peer.send(
              createUnauthorizedResponse(
                `WWW-Authenticate: Digest realm="r", nonce="${++nonce}", qop="auth"${authorization ? ", stale=TRUE" : ""}\r\n`,
              ),
            );
        }
      });
    await using once = await stale(2);
    expect(await (await getWithSharedTestClient(createServerUrl(once), { credentials })).text()).toBe(
      "secret",
    );
    nonce = 0;
    await using always = await stale(Infinity);
    expect(
      await getRejectedError(getWithSharedTestClient(createServerUrl(always), { credentials })),
    ).toMatchObject({
      code: "authentication-required",
    });
    expect(nonce).toBe(3);
    expect(requests).toHaveLength(2);
  });

  it("the client calculates both example Digest responses of RFC 7616 §3.9.1", () => {
    const login = { user: "Mufasa", password: "Circle of Life" };
    const nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
    const cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
    for (const [algorithm, response] of [
      ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
      ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
    ]) {
      const [challenge] = parseChallenges([
        `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="x"`,
      ]);
      if (!challenge) throw new Error("no challenge");
      const answer = createDigestHeaderFactory(challenge, login, () => cnonce);
      expect(fields(answer({ method: "GET", target: "/dir/index.html" }))["response"]).toBe(response);
      expect(answer({ method: "GET", target: "/" })).toContain("nc=00000002");
    }
  });

  it("Digest hashes the user name for userhash=true, and escapes quotes in parameters", () => {
    const [hashed] = parseChallenges([
      'Digest realm="r", nonce="n", algorithm=SHA-256, userhash=true, qop=auth',
    ]);
    const [plain] = parseChallenges(['Digest realm="a\\"b\\\\", nonce="n", qop=auth']);
    if (!hashed || !plain) throw new Error("no challenge");
    const requests = { method: "GET", target: "/" };
    expect(fields(createDigestHeaderFactory(hashed, bobsCredentials)(requests))).toMatchObject({
      username: hash("sha256", "bob:r"),
      userhash: "true",
    });
    expect(createDigestHeaderFactory(plain, bobsCredentials)(requests)).toContain('realm="a\\"b\\\\"');
    expect(() => createDigestHeaderFactory(plain, { user: "b\r\nx", password: "" })(requests)).toThrow(
      "control byte",
    );
  });
});

describe("parseChallenges parses WWW-Authenticate challenges", () => {
  it.each<[string[], [string, Record<string, string>][]]>([
    [[], []],
    [["Basic"], [["basic", {}]]],
    [["Basic realm=simple"], [["basic", { realm: "simple" }]]],
    [
      ['Basic realm="a, b", Newauth realm="c" , x=1'],
      [
        ["basic", { realm: "a, b" }],
        ["newauth", { realm: "c", x: "1" }],
      ],
    ],
    [
      ["Negotiate", 'Basic realm=""'],
      [
        ["negotiate", {}],
        ["basic", { realm: "" }],
      ],
    ],
    [
      ["Negotiate YII==, Basic realm=x"],
      [
        ["negotiate", {}],
        ["basic", { realm: "x" }],
      ],
    ],
    [['Basic realm="x", realm="y"'], [["basic", { realm: "x" }]]],
    [[', , Basic , realm = "x"'], [["basic", { realm: "x" }]]],
    [['realm="x"'], []],
    [['Basic realm="unfinished'], [["basic", {}]]],
    [["\u00e4", "Basic realm=x"], [["basic", { realm: "x" }]]],
  ])("parseChallenges parses the WWW-Authenticate headers %j", (authorization, expected) => {
    expect(
      parseChallenges(authorization).map(({ scheme, parameters }) => [
        scheme,
        Object.fromEntries(parameters),
      ]),
    ).toEqual(expected);
  });

  it("parseChallenges parses long hostile challenges in linear time", () => {
    for (const hostile of [
      "a=,".repeat(20_000),
      `a="${"\\".repeat(60_000)}`,
      "a ".repeat(30_000),
      "=".repeat(60_000),
    ])
      expect(parseChallenges([`Basic ${hostile}`]).length).toBeGreaterThanOrEqual(0);
  });
});
