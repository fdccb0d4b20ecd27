import { parseChallenges } from "../../../packages/scheme-http/src/request/challenge.ts";
import {
  createDigestHeaderFactory,
  rankDigestChallenge,
} from "../../../packages/scheme-http/src/request/digest.ts";
import { assertCondition } from "../decoder-target.ts";
import { arbitraryMutatedSamples } from "../mutated-samples.ts";
import { type FuzzTarget, createFuzzTarget } from "../fuzz-target.ts";

const challengeSamples = [
  'Digest realm="a \\"b\\\\ c", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", qop="auth, auth-int", opaque="5ccc069c", algorithm=SHA-256',
  'Basic realm="r", Digest realm="caf\xe9", nonce="n", algorithm=MD5-sess, userhash=true, stale=TRUE',
  'Negotiate YII==, Newauth realm="c" , x=1, , Digest nonce=n',
];

/** Matches a character that a header field cannot contain (RFC 9110 §5.5). */
const invalidFieldCharacter = /[^\t\x20-\x7e\x80-\xff]/;

/** Parses the value of a WWW-Authenticate field, and checks that the credentials form one valid Authorization field. */
export const httpChallengeFuzzTargets: readonly FuzzTarget[] = [
  createFuzzTarget<string>({
    name: "HTTP authentication challenges",
    arbitraryInput: arbitraryMutatedSamples(challengeSamples).map((text) =>
      text.replace(new RegExp(invalidFieldCharacter, "g"), ""),
    ),
    createRepetitiveInput: (pattern, size) => pattern.repeat(Math.ceil(size / pattern.length)),
    checkParsingResult: checkAuthorizationField,
    runWithoutChecks: (text) => parseChallenges([text]),
  }),
];

function checkAuthorizationField(text: string): void {
  for (const challenge of parseChallenges([text])) {
    assertCondition(/^[!-~]+$/.test(challenge.scheme), "the authentication scheme is not a token");
    if (challenge.scheme !== "digest" || rankDigestChallenge(challenge) === undefined) continue;
    const authorize = createDigestHeaderFactory(challenge, { user: "Jo\u00e3o", password: "p" });
    const field = authorize({ method: "GET", target: "/" });
    assertCondition(!invalidFieldCharacter.test(field), "the Authorization field has an invalid character");
    const [credentials, secondCredentials] = parseChallenges([field]);
    assertCondition(
      credentials !== undefined && secondCredentials === undefined,
      "the Authorization field has several credentials",
    );
    for (const name of ["realm", "nonce", "opaque"]) {
      const [received = "", sent = ""] = [challenge.parameters.get(name), credentials.parameters.get(name)];
      assertCondition(received === sent, `the ${name} of the credentials differs from the challenge`);
    }
  }
}
