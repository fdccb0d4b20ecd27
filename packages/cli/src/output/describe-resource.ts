import type { Resource } from "@anyscheme/core";
import { escapeControls } from "../terminal/character-width.ts";

type NonDataResource = Exclude<Resource, { kind: "content" | "directory" }>;

/** What there is to say of each kind. */
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
    const secret = password === undefined ? [] : ["a password is suggested too; it stands in the URL"];
    return [`${url.scheme} service at ${host} port ${port}`, ...login, ...secret];
  },
  mailbox({ address, headers }) {
    return [`mailbox of ${address}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  },
  "not-modified": () => ["not modified"],
};

/** What there is to say of a resource that is no data: lines for people. A password of the URL is not said. */
export function describeResource(resource: NonDataResource): readonly string[] {
  const said = DESCRIPTIONS[resource.kind] as (resource: NonDataResource) => string[];
  return said(resource).map(escapeControls);
}
