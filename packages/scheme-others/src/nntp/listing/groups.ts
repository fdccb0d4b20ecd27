import type { Entry, Limits } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { readList } from "./list.ts";
import { type NntpUrl, urlForServer } from "../syntax.ts";
import { textOf } from "../article/header-values.ts";

/** A newsgroup of a server. RFC 3977 §7.6.3. */
export class NntpGroup implements Entry {
  readonly name: string;
  /** `"unknown"` for a line that names no group. */
  readonly kind: "group" | "unknown";
  /** What the server says it is about. RFC 3977 §7.6.6. */
  readonly description: string | undefined;
  /** The lowest and the highest number of its articles; the lowest is above the highest where there are none. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** `y` posting allowed, `n` not, `m` moderated; others as the server has them. */
  readonly status: string | undefined;
  readonly #server: NntpUrl;

  /** The line has one character a byte: `group high low status`. */
  constructor(line: string, server: NntpUrl, descriptions: ReadonlyMap<string, string>) {
    const [, name, high, low, status] =
      /^(\S+)[ \t]+(\d{1,15})[ \t]+(\d{1,15})(?:[ \t]+(\S+))?/.exec(line) ?? [];
    this.name = textOf(name ?? line);
    this.kind = name === undefined ? "unknown" : "group";
    this.description = name === undefined ? undefined : descriptions.get(name);
    this.low = low === undefined ? undefined : Number(low);
    this.high = high === undefined ? undefined : Number(high);
    this.status = status;
    this.#server = server;
  }

  /** `undefined` for a name that no URL can have. */
  get url(): NntpUrl | undefined {
    return this.kind === "group" ? urlForServer(this.#server, this.name) : undefined;
  }

  toJSON(): Record<string, unknown> {
    const { name, kind, url, description, low, high, status } = this;
    return { name, kind, url, description, low, high, status };
  }
}

/** Collects what a server says of its groups, by the bytes of the name. RFC 3977 §7.6.6. Throws `limit`. */
export async function readDescriptions(
  source: ByteSource,
  limits: Limits,
): Promise<ReadonlyMap<string, string>> {
  const descriptions = new Map<string, string>();
  for await (const [name, description] of readList(source, limits, parseDescription))
    descriptions.set(name, description);
  return descriptions;
}

function parseDescription(line: string): [name: string, description: string] {
  const [, name = "", description = ""] = /^(\S+)[ \t]+(.*)$/.exec(line) ?? [];
  return [name, textOf(description.trim())];
}
