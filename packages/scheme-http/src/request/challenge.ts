import { HTTP_TOKEN_REGEXP_SOURCE } from "@anyscheme/core/plugin";

/** An authentication scheme that a server accepts, with its parameters. RFC 9110 §11.3. */
export interface AuthenticationChallenge {
  /** The name of the authentication scheme in lower case. */
  readonly scheme: string;
  /** The values of the challenge's parameters without quotes, by parameter name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

// token68            RFC 9110 §11.2
const TOKEN68_REGEXP_SOURCE = "[0-9A-Za-z._~+/-]+=*";
// quoted-string            RFC 9110 §5.6.4
const QUOTED_STRING_REGEXP_SOURCE = '"(?:[^"\\\\]|\\\\.)*"';

const CHALLENGE_PARAMETER = new RegExp(
  `(${HTTP_TOKEN_REGEXP_SOURCE})[ \\t]*=[ \\t]*(?:(${QUOTED_STRING_REGEXP_SOURCE})|(${HTTP_TOKEN_REGEXP_SOURCE}))`,
  "y",
);
const AUTHENTICATION_SCHEME = new RegExp(`(${HTTP_TOKEN_REGEXP_SOURCE})(?:[ \\t]+|(?=,|$))`, "y");
const TOKEN68 = new RegExp(`(?:${TOKEN68_REGEXP_SOURCE})[ \\t]*(?=,|$)`, "y");
const CHALLENGE_SEPARATORS = /[ \t,]*/y;

/**
 * Parses WWW-Authenticate headers. Ignores the part of a WWW-Authenticate header after a syntax error. RFC 9110
 * §11.6.1.
 */
export function parseChallenges(values: readonly string[] = []): AuthenticationChallenge[] {
  return values.flatMap(parseChallengeHeader);
}

function parseChallengeHeader(value: string): AuthenticationChallenge[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const result = pattern.exec(value);
    if (result) at = pattern.lastIndex;
    return result;
  };
  while (at < value.length) {
    match(CHALLENGE_SEPARATORS);
    const parameter = match(CHALLENGE_PARAMETER);
    const current = found.at(-1);
    if (parameter && current) {
      const [, name = "", quotedText, plain = ""] = parameter;
      const text = quotedText === undefined ? plain : quotedText.slice(1, -1).replace(/\\(.)/g, "$1");
      if (!current.parameters.has(name.toLowerCase())) current.parameters.set(name.toLowerCase(), text);
      continue;
    }
    const [, scheme] = (!parameter && match(AUTHENTICATION_SCHEME)) || [];
    if (scheme === undefined) break;
    found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    match(TOKEN68);
  }
  return found;
}
