import { createHash, randomBytes } from "node:crypto";
import { AccessError, type Credentials } from "@anyscheme/core";
import type { Challenge } from "./challenge.ts";

/** The algorithms of RFC 7616 §3.3 by their names in lower case, the stronger ones first. */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ["sha-512-256", "sha512-256"],
  ["sha-256", "sha256"],
  ["md5", "md5"],
]);

/** What an answer is made for. */
export interface AuthorizationInput {
  readonly method: string;
  readonly target: string;
}

/** How good a challenge is, from 0 on; `undefined` for one that we cannot answer. */
export function digestRank({ parameters }: Challenge): number | undefined {
  const { name } = algorithmOf(parameters);
  const rank = [...ALGORITHMS.keys()].indexOf(name);
  const qop = parameters.get("qop");
  const offered = qop === undefined || /(?:^|[\s,])auth(?:$|[\s,])/i.test(qop);
  return rank < 0 || !offered || !parameters.has("nonce") ? undefined : rank;
}

/**
 * Answers the same challenge again and again, counting. RFC 7616 §3.4. All texts here have one character a byte, so that what
 * the server said goes back to it as it came.
 */
export function digestAuthorizer(
  { parameters }: Challenge,
  credentials: Credentials,
  makeNonce: () => string = () => randomBytes(18).toString("base64url"),
): (asked: AuthorizationInput) => string {
  const { name, session } = algorithmOf(parameters);
  const hash = (text: string): string =>
    createHash(ALGORITHMS.get(name) ?? "md5")
      .update(text, "latin1")
      .digest("hex");
  const user = utf8(credentials.user ?? "");
  const password = utf8(credentials.password);
  const given = (parameter: string): string => parameters.get(parameter) ?? "";
  const realm = given("realm");
  const nonce = given("nonce");
  const opaque = parameters.get("opaque");
  const hashed = /^true$/i.test(given("userhash"));
  const cnonce = makeNonce();
  const secret = hash(`${user}:${realm}:${password}`);
  const first = session ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
  const name64 = hashed ? hash(`${user}:${realm}`) : user;
  let count = 0;
  return ({ method, target }) => {
    const second = hash(`${method}:${target}`);
    const nc = (++count).toString(16).padStart(8, "0");
    // RFC 2069, which knows no qop, is still what some devices speak.
    const qop = parameters.has("qop");
    const response = hash(
      qop ? [first, nonce, nc, cnonce, "auth", second].join(":") : `${first}:${nonce}:${second}`,
    );
    const fields = [
      `username=${quote(name64)}`,
      `realm=${quote(realm)}`,
      `nonce=${quote(nonce)}`,
      `uri=${quote(target)}`,
      `response="${response}"`,
      ...(parameters.has("algorithm") ? [`algorithm=${given("algorithm").replace(/[^\w-]/g, "")}`] : []),
      ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
      ...(qop || session ? [`cnonce="${cnonce}"`] : []),
      ...(qop ? ["qop=auth", `nc=${nc}`] : []),
      ...(hashed ? ["userhash=true"] : []),
    ];
    return `Digest ${fields.join(", ")}`;
  };
}

function algorithmOf(parameters: ReadonlyMap<string, string>): { name: string; session: boolean } {
  const given = (parameters.get("algorithm") ?? "MD5").toLowerCase();
  return given.endsWith("-sess")
    ? { name: given.slice(0, -5), session: true }
    : { name: given, session: false };
}

/** A name or password beyond US-ASCII goes out in UTF-8. RFC 7616 §3.4. */
function utf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function quote(bytes: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(bytes))
    throw new AccessError("refused-characters", "the user name holds a control byte, which cannot be sent");
  return `"${bytes.replace(/["\\]/g, "\\$&")}"`;
}
