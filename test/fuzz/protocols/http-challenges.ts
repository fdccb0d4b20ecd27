import { parseChallenges } from "../../../packages/scheme-http/src/request/challenge.ts";
import {
  createDigestAuthorization,
  rankDigestChallenge,
} from "../../../packages/scheme-http/src/request/digest.ts";
import { hold } from "../decoder.ts";
import { bytesLike } from "../arbitrary-bytes.ts";
import { type AnyTarget, target } from "../target.ts";

const samples = [
  'Digest realm="a \\"b\\\\ c", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", qop="auth, auth-int", opaque="5ccc069c", algorithm=SHA-256',
  'Basic realm="r", Digest realm="caf\xe9", nonce="n", algorithm=MD5-sess, userhash=true, stale=TRUE',
  'Negotiate YII==, Newauth realm="c" , x=1, , Digest nonce=n',
];

/** Matches characters that are never sent in a header field. RFC 9110 §5.5. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/** Parses the value of a WWW-Authenticate field as received. The resulting credentials must form one valid field. */
export const challenges: readonly AnyTarget[] = [
  target<string>({
    name: "HTTP challenges",
    inputs: bytesLike(samples).map((text) => text.replace(new RegExp(unsendable, "g"), "")),
    ofSize: (piece, size) => piece.repeat(Math.ceil(size / piece.length)),
    check: answer,
    run: (text) => parseChallenges([text]),
  }),
];

function answer(text: string): void {
  for (const challenge of parseChallenges([text])) {
    hold(/^[!-~]+$/.test(challenge.scheme), "the scheme is no token");
    if (challenge.scheme !== "digest" || rankDigestChallenge(challenge) === undefined) continue;
    const authorize = createDigestAuthorization(challenge, { user: "Jo\u00e3o", password: "p" });
    const field = authorize({ method: "GET", target: "/" });
    hold(!unsendable.test(field), "the answer cannot be sent");
    const [again, another] = parseChallenges([field]);
    hold(again !== undefined && another === undefined, "the answer is several");
    for (const name of ["realm", "nonce", "opaque"]) {
      const [said = "", sent = ""] = [challenge.parameters.get(name), again.parameters.get(name)];
      hold(said === sent, `the ${name} goes back as another`);
    }
  }
}
