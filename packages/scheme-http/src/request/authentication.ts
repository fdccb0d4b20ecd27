import { AccessError, type Credentials } from "@anyscheme/core";
import { type AccessContext, serverText, type MessageParts } from "@anyscheme/core/plugin";
import { type Challenge, parseChallenges } from "./challenge.ts";
import { type AuthorizationInput, digestAuthorizer, digestRank } from "./digest.ts";
import { type HttpResponse, printable } from "../response/response.ts";
import type { HttpUrl } from "../syntax.ts";

/** What the Authorization field of a request has to be. */
export type Authorize = (asked: AuthorizationInput) => string;

/** A way to answer that a server offers. */
interface SupportedChallenge {
  readonly challenge: Challenge;
  /** The smaller the better. */
  readonly rank: number;
  answerer(credentials: Credentials): Authorize;
}

// RFC 7617 §2: "user-id and password MUST NOT contain any control characters", and the user-id no colon.
const control = /[\0-\x1f\x7f]/;

/**
 * Asks the caller for the credentials of a realm of this origin. RFC 9110 §11. `undefined` where there is nobody to ask, no
 * answer, or no challenge that we can answer. Digest is preferred, since the password stays here.
 */
export async function requestAuthorization(
  response: HttpResponse,
  url: HttpUrl,
  context: Pick<AccessContext, "requestCredentials">,
): Promise<Authorize | undefined> {
  const offers = offersIn(response);
  const [offer] = offers.toSorted((a, b) => a.rank - b.rank);
  if (!offer) return undefined;
  const { scheme, effectiveHost, effectivePort } = url;
  const credentials = await context.requestCredentials({
    scheme,
    host: effectiveHost,
    port: effectivePort,
    realm: offer.challenge.parameters.get("realm"),
    kind: "password",
  });
  if (!credentials) return undefined;
  return offer.answerer(credentials);
}

/** Whether the server took the answer for right, but wants it again for a newer nonce. RFC 7616 §3.3. */
export function isStale({ headers }: HttpResponse): boolean {
  return parseChallenges(headers["www-authenticate"]).some(
    ({ scheme, parameters }) => scheme === "digest" && /^true$/i.test(parameters.get("stale") ?? ""),
  );
}

/** The same answerer for the new nonce of a stale one needs the credentials again, which are kept here and nowhere else. */
export function cacheCredentials(context: Pick<AccessContext, "requestCredentials">): typeof context {
  let answer: Promise<Credentials | undefined> | undefined;
  return {
    requestCredentials: (question) => (answer ??= context.requestCredentials(question)),
  };
}

/** What a caller can do about a 401 response; `authorized` when the request had an Authorization field already. */
export function loginAdvice(response: HttpResponse, authorized: boolean): MessageParts {
  const challenges = parseChallenges(response.headers["www-authenticate"]);
  const realm = challenges.find(({ parameters }) => parameters.has("realm"))?.parameters.get("realm");
  const place = realm === undefined ? [] : [' for the realm "', serverText(printable(realm)), '"'];
  if (authorized) return ["the server refused the login", ...place];
  if (offersIn(response).length > 0) return ["give a login", ...place, " by the option `credentials`"];
  const names = challenges.map(({ scheme }) => scheme).join(", ");
  const ways =
    names === ""
      ? ["the server names no way to log in"]
      : ["the server wants ", serverText(printable(names)), ...place];
  return [...ways, ": `credentials` answers basic and digest, `headers` may have an authorization"];
}

function offersIn({ headers }: HttpResponse): SupportedChallenge[] {
  return parseChallenges(headers["www-authenticate"]).flatMap((challenge): SupportedChallenge[] => {
    if (challenge.scheme === "basic") return [{ challenge, rank: Infinity, answerer: basicAnswerer }];
    const rank = challenge.scheme === "digest" ? digestRank(challenge) : undefined;
    if (rank === undefined) return [];
    return [{ challenge, rank, answerer: (credentials) => digestAuthorizer(challenge, credentials) }];
  });
}

/** RFC 7617 §2, in UTF-8 (§2.1). */
function basicAnswerer({ user = "", password }: Credentials): Authorize {
  if (user.includes(":") || control.test(user) || control.test(password)) {
    throw new AccessError(
      "refused-characters",
      "these credentials cannot be sent: a colon in the name, or a control byte",
    );
  }
  const value = `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
  return () => value;
}
