import { HTTP_TOKEN_PATTERN } from "../headers.ts";

/** An authentication scheme that a server accepts, with its parameters. RFC 9110 §11.3. */
export interface AuthenticationChallenge {
  /** The name of the scheme in lower case. */
  readonly scheme: string;
  /** The values of the parameters without quotes, by parameter name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

// token68            RFC 9110 §11.2
const token68 = "[0-9A-Za-z._~+/-]+=*";
// quoted-string            RFC 9110 §5.6.4
const quoted = '"(?:[^"\\\\]|\\\\.)*"';

const parameterAt = new RegExp(
  `(${HTTP_TOKEN_PATTERN})[ \\t]*=[ \\t]*(?:(${quoted})|(${HTTP_TOKEN_PATTERN}))`,
  "y",
);
const schemeAt = new RegExp(`(${HTTP_TOKEN_PATTERN})(?:[ \\t]+|(?=,|$))`, "y");
const token68At = new RegExp(`(?:${token68})[ \\t]*(?=,|$)`, "y");
const separatorsAt = /[ \t,]*/y;

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
    match(separatorsAt);
    const parameter = match(parameterAt);
    const current = found.at(-1);
    if (parameter && current) {
      const [, name = "", quotedText, plain = ""] = parameter;
      const text = quotedText === undefined ? plain : quotedText.slice(1, -1).replace(/\\(.)/g, "$1");
      if (!current.parameters.has(name.toLowerCase())) current.parameters.set(name.toLowerCase(), text);
      continue;
    }
    const [, scheme] = (!parameter && match(schemeAt)) || [];
    if (scheme === undefined) break;
    found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    match(token68At);
  }
  return found;
}
