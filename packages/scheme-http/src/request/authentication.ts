import { AccessError } from "@anyscheme/core";
import {
  type AccessContext,
  sameOrigin,
  createMaskableServerText,
  type MaskableErrorText,
  type Credentials,
} from "@anyscheme/core/plugin";
import { percentDecodeText } from "@anyscheme/core/syntax";
import { type AuthenticationChallenge, parseChallenges } from "./challenge.ts";
import { type MethodAndTarget, createDigestHeaderFactory, rankDigestChallenge } from "./digest.ts";
import { type HttpResponseHead, sanitizeServerText } from "../response/response-head.ts";
import type { HttpUrl } from "../syntax.ts";

export type AuthorizationHeaderFactory = (request: MethodAndTarget) => string;

interface SupportedChallenge {
  readonly challenge: AuthenticationChallenge;
  /** The client answers the authentication challenge with the smallest rank. */
  readonly rank: number;
  createHeaderFactory(credentials: Credentials): AuthorizationHeaderFactory;
}

// RFC 7617 §2: "The user-id and password MUST NOT contain any control characters". RFC 7617 also forbids a colon in
// the user-id.
const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;

/** The members of the access context that authentication uses. */
export type HttpAuthenticationDependencies = Pick<
  AccessContext,
  "requestCredentials" | "reportSecretSent" | "redirectChain"
>;

/**
 * Returns the login in the URL of the caller. A redirect target has no login of its own. The target gets the login of
 * the caller's URL if all URLs of the redirect chain have the same origin. RFC 3986 §3.2.1.
 */
export function getCallerUrlLogin(
  url: HttpUrl,
  { redirectChain }: Pick<HttpAuthenticationDependencies, "redirectChain">,
): Credentials | undefined {
  const [first = { fromUrl: url }] = redirectChain;
  if (!redirectChain.every((entry) => sameOrigin(entry.fromUrl, url))) return undefined;
  const { user, password = "" } = first.fromUrl as HttpUrl;
  if (user === undefined) return undefined;
  return { user: percentDecodeText(user), password: percentDecodeText(password) };
}

/**
 * Returns the authorization for a challenge, with the login of the URL, or else with credentials that the caller
 * provides. RFC 9110 §11. Returns `undefined` if the user has no credentials, or if the client supports no challenge.
 * Prefers Digest, which does not send the password.
 */
export async function createAuthorizationForChallenge(
  head: HttpResponseHead,
  url: HttpUrl,
  context: HttpAuthenticationDependencies,
): Promise<AuthorizationHeaderFactory | undefined> {
  const [best] = findSupportedChallenges(head).toSorted((a, b) => a.rank - b.rank);
  if (!best) return undefined;
  const credentials = await findCredentials(url, context, best.challenge.parameters.get("realm"));
  return credentials && best.createHeaderFactory(credentials);
}

/** Returns the Basic authorization before a challenge, if the user has credentials. RFC 7617 §2.2. */
export async function createPreemptiveHeaderFactory(
  url: HttpUrl,
  context: HttpAuthenticationDependencies,
): Promise<AuthorizationHeaderFactory | undefined> {
  const credentials = await findCredentials(url, context);
  return credentials && createBasicHeaderFactory(credentials);
}

async function findCredentials(
  url: HttpUrl,
  context: HttpAuthenticationDependencies,
  realm?: string,
): Promise<Credentials | undefined> {
  const { scheme, effectiveHost: host, effectivePort: port } = url;
  const login = getCallerUrlLogin(url, context);
  if (!login) return context.requestCredentials({ scheme, host, port, realm, requestedSecret: "password" });
  context.reportSecretSent();
  return login;
}

/**
 * True when a 401 response to a request with credentials does not refuse the credentials themselves. In such a
 * response, the server requires a new nonce (RFC 7616 §3.3), or does not offer Basic, with which the client sent
 * preemptive credentials.
 */
export function mayRetry401WithSameCredentials(
  { headers }: HttpResponseHead,
  isPreemptive: boolean,
): boolean {
  const challenges = parseChallenges(headers["www-authenticate"]);
  return (
    challenges.some(
      ({ scheme, parameters }) => scheme === "digest" && /^true$/i.test(parameters.get("stale") ?? ""),
    ) ||
    (isPreemptive && !challenges.some(({ scheme }) => scheme === "basic"))
  );
}

/**
 * Returns a credential provider that calls the `credentials` callback only once. A request that is repeated with a new
 * nonce needs the same credentials again.
 */
export function requestCredentialsOnlyOnce(
  context: HttpAuthenticationDependencies,
): HttpAuthenticationDependencies {
  let credentials: Promise<Credentials | undefined> | undefined;
  return {
    redirectChain: context.redirectChain,
    reportSecretSent: () => context.reportSecretSent(),
    requestCredentials: (request) => (credentials ??= context.requestCredentials(request)),
  };
}

/**
 * Returns the advice in the error for a 401 response. `isAuthorized` is true if the request had an Authorization
 * header.
 */
export function createUnauthorizedAdvice(head: HttpResponseHead, isAuthorized: boolean): MaskableErrorText {
  const challenges = parseChallenges(head.headers["www-authenticate"]);
  const realm = challenges.find(({ parameters }) => parameters.has("realm"))?.parameters.get("realm");
  const forRealm =
    realm === undefined ? [] : [' for the realm "', createMaskableServerText(sanitizeServerText(realm)), '"'];
  if (isAuthorized) return ["the server refused the login", ...forRealm];
  if (findSupportedChallenges(head).length > 0)
    return ["a login", ...forRealm, " is required: pass the option `credentials`"];
  const names = challenges.map(({ scheme }) => scheme).join(", ");
  const required =
    names === ""
      ? ["the 401 response names no authentication scheme"]
      : ["the server requires ", createMaskableServerText(sanitizeServerText(names)), ...forRealm];
  return [...required, "; `credentials` supports basic and digest, `headers` may contain an authorization"];
}

function findSupportedChallenges({ headers }: HttpResponseHead): SupportedChallenge[] {
  return parseChallenges(headers["www-authenticate"]).flatMap((challenge): SupportedChallenge[] => {
    if (challenge.scheme === "basic")
      return [{ challenge, rank: Infinity, createHeaderFactory: createBasicHeaderFactory }];
    const rank = challenge.scheme === "digest" ? rankDigestChallenge(challenge) : undefined;
    if (rank === undefined) return [];
    return [
      {
        challenge,
        rank,
        createHeaderFactory: (credentials) => createDigestHeaderFactory(challenge, credentials),
      },
    ];
  });
}

/** Returns a function that authorizes requests with Basic (RFC 7617 §2) in UTF-8 (§2.1). */
function createBasicHeaderFactory({ user = "", password }: Credentials): AuthorizationHeaderFactory {
  if (user.includes(":") || CONTROL_CHARACTER.test(user) || CONTROL_CHARACTER.test(password)) {
    throw new AccessError(
      "refused-characters",
      "the credentials contain a control byte, or a colon in the user name, and cannot be sent",
    );
  }
  const value = `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
  return () => value;
}
