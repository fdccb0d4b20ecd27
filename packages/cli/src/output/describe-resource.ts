import type { Resource } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";

type NonDataResource = Exclude<Resource, { kind: "content" | "directory" }>;

/** The description of each kind of resource. */
const DESCRIPTIONS: {
  readonly [K in NonDataResource["kind"]]: (resource: Extract<NonDataResource, { kind: K }>) => string[];
} = {
  form({ title, fields }) {
    const lines = fields.map(
      ({ label, kind, choices }) => `${label} [${kind}${choices ? `: ${choices.join(", ")}` : ""}]`,
    );
    return [...(title === undefined ? [] : [title]), ...lines];
  },
  // RFC 1738 §3.8: "clients accessing a telnet URL merely advise the user of the suggested username and password."
  service({ url, host, port, user, password }) {
    const login = user === undefined ? [] : [`suggested user: ${user}`];
    const secret = password === undefined ? [] : ["suggested password: see the URL"];
    return [`${url.scheme} service at ${host} port ${port}`, ...login, ...secret];
  },
  mailbox({ address, headers }) {
    return [`mailbox of ${address}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  },
  "not-modified": () => ["not modified"],
};

/** Describes a resource without data in lines for the user. Omits a password. */
export function describeResource(resource: NonDataResource): readonly string[] {
  const describe = DESCRIPTIONS[resource.kind] as (resource: NonDataResource) => string[];
  return describe(resource).map(escapeControls);
}
