/** A challenge of a server. RFC 9110 §11.3. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Parameters by name in lower case, unquoted. */
  readonly parameters: ReadonlyMap<string, string>;
}

// token = 1*tchar            RFC 9110 §5.6.2
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// token68            RFC 9110 §11.2
const token68 = "[0-9A-Za-z._~+/-]+=*";
// quoted-string            RFC 9110 §5.6.4
const quoted = '"(?:[^"\\\\]|\\\\.)*"';

const parameterAt = new RegExp(`(${token})[ \\t]*=[ \\t]*(?:(${quoted})|(${token}))`, "y");
const schemeAt = new RegExp(`(${token})(?:[ \\t]+|(?=,|$))`, "y");
const token68At = new RegExp(`(?:${token68})[ \\t]*(?=,|$)`, "y");
const separatorsAt = /[ \t,]*/y;

/** The challenges in the WWW-Authenticate fields, in their order; what follows a mistake is left out. RFC 9110 §11.6.1. */
export function parseChallenges(fields: readonly string[] = []): Challenge[] {
  return fields.flatMap(challengesOf);
}

function challengesOf(field: string): Challenge[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  const cursor = { at: 0 };
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = cursor.at;
    const result = pattern.exec(field);
    if (result) cursor.at = pattern.lastIndex;
    return result;
  };
  while (cursor.at < field.length) {
    match(separatorsAt);
    const parameter = match(parameterAt);
    const current = found.at(-1);
    if (parameter && current) {
      const [, name = "", text, plain = ""] = parameter;
      const value = text === undefined ? plain : text.slice(1, -1).replace(/\\(.)/g, "$1");
      if (!current.parameters.has(name.toLowerCase())) current.parameters.set(name.toLowerCase(), value);
      continue;
    }
    const [, scheme] = (!parameter && match(schemeAt)) || [];
    if (scheme === undefined) break;
    found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    match(token68At);
  }
  return found;
}
