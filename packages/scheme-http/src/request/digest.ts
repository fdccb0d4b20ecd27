import { createHash, randomBytes } from "node:crypto";
import { AccessError } from "@anyscheme/core";
import { getFirstInvalidHeaderCharacter, type Credentials } from "@anyscheme/core/plugin";
import type { AuthenticationChallenge } from "./challenge.ts";

/** The hash functions of the Digest algorithms of RFC 7616 §3.3, strongest first. */
const DIGEST_ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ["sha-512-256", "sha512-256"],
  ["sha-256", "sha256"],
  ["md5", "md5"],
]);

/** The method and target of an HTTP request, from which a Digest response is calculated. */
export interface MethodAndTarget {
  readonly method: string;
  readonly target: string;
}

/**
 * Returns the rank of the Digest algorithm, 0 for the strongest. Returns `undefined` for an unsupported Digest
 * challenge.
 */
export function rankDigestChallenge({ parameters }: AuthenticationChallenge): number | undefined {
  const { name } = parseAlgorithm(parameters);
  const rank = [...DIGEST_ALGORITHMS.keys()].indexOf(name);
  const qop = parameters.get("qop");
  const offersAuth = qop === undefined || /(?:^|[\s,])auth(?:$|[\s,])/i.test(qop);
  return rank < 0 || !offersAuth || !parameters.has("nonce") ? undefined : rank;
}

/**
 * Returns a function that creates the Authorization header of each request for one challenge, and counts the
 * requests. RFC 7616 §3.4. All strings have one character for each byte, so the server receives its own parameters
 * unchanged.
 */
export function createDigestHeaderFactory(
  { parameters }: AuthenticationChallenge,
  credentials: Credentials,
  createNonce: () => string = () => randomBytes(18).toString("base64url"),
): (request: MethodAndTarget) => string {
  const { name, isSession } = parseAlgorithm(parameters);
  const hash = (text: string): string =>
    createHash(DIGEST_ALGORITHMS.get(name) ?? "md5")
      .update(text, "latin1")
      .digest("hex");
  const user = encodeUtf8(credentials.user ?? "");
  const password = encodeUtf8(credentials.password);
  const parameter = (key: string): string => parameters.get(key) ?? "";
  const realm = parameter("realm");
  const nonce = parameter("nonce");
  const opaque = parameters.get("opaque");
  const isUserHashed = /^true$/i.test(parameter("userhash"));
  const cnonce = createNonce();
  const secret = hash(`${user}:${realm}:${password}`);
  const a1 = isSession ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
  const username = isUserHashed ? hash(`${user}:${realm}`) : user;
  let count = 0;
  return ({ method, target }) => {
    const a2 = hash(`${method}:${target}`);
    const nc = (++count).toString(16).padStart(8, "0");
    // Some devices implement only RFC 2069, whose challenges have no qop.
    const hasQop = parameters.has("qop");
    const response = hash(hasQop ? [a1, nonce, nc, cnonce, "auth", a2].join(":") : `${a1}:${nonce}:${a2}`);
    const fields = [
      `username=${quoteParameter(username)}`,
      `realm=${quoteParameter(realm)}`,
      `nonce=${quoteParameter(nonce)}`,
      `uri=${quoteParameter(target)}`,
      `response="${response}"`,
      ...(parameters.has("algorithm") ? [`algorithm=${parameter("algorithm").replace(/[^\w-]/g, "")}`] : []),
      ...(opaque === undefined ? [] : [`opaque=${quoteParameter(opaque)}`]),
      ...(hasQop || isSession ? [`cnonce="${cnonce}"`] : []),
      ...(hasQop ? ["qop=auth", `nc=${nc}`] : []),
      ...(isUserHashed ? ["userhash=true"] : []),
    ];
    return `Digest ${fields.join(", ")}`;
  };
}

function parseAlgorithm(parameters: ReadonlyMap<string, string>): { name: string; isSession: boolean } {
  const algorithm = (parameters.get("algorithm") ?? "MD5").toLowerCase();
  const isSession = algorithm.endsWith("-sess");
  return { name: isSession ? algorithm.slice(0, -5) : algorithm, isSession };
}

/** Encodes a user name or password in UTF-8, with one character per byte. RFC 7616 §3.4. */
function encodeUtf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function quoteParameter(bytes: string): string {
  if (getFirstInvalidHeaderCharacter(bytes) !== undefined)
    throw new AccessError(
      "refused-characters",
      "the user name contains a control byte, which cannot be sent",
    );
  return `"${bytes.replace(/["\\]/g, "\\$&")}"`;
}
