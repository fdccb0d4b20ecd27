import { AccessError, type Entry } from "@anyscheme/core";
import type { Url } from "@anyscheme/core/syntax";
import { type AccessMethod, parseAccessMethods } from "../object/access-method.ts";
import { type ObjectInfo, parseObjectInfo, objectId } from "../object/attributes.ts";
import { type Attribute, type Link, type ObjectLocation, parseLine } from "../protocol/reply-line.ts";
import { type ProsperoUrl, prosperoSyntax } from "../syntax.ts";
import { latin1ToBytes, textOf } from "../protocol/text.ts";

/** What the targets of links are, in the words of directories. */
const KINDS: ReadonlyMap<string, ProsperoEntry["kind"]> = new Map([
  ["DIRECTORY", "directory"],
  ["DIRECTORY+FILE", "directory"],
  ["FILE", "file"],
  ["OBJECT", "object"],
  ["EXTERNAL", "external"],
  ["SYMBOLIC", "symbolic"],
]);

/** One link of a Prospero directory. What a listing does not ask for is not worked out. */
export class ProsperoEntry implements Entry {
  readonly name: string;
  /** `external` for what other protocols give; `symbolic` for a name in somebody's virtual system. */
  readonly kind: "directory" | "file" | "object" | "external" | "symbolic" | "unknown";
  readonly #link: Link;
  readonly #lines: readonly string[];
  readonly #parse: (text: string) => Url;
  #read: { readonly attributes: readonly Attribute[]; readonly fault: string | undefined } | undefined;
  #facts: ObjectInfo | undefined;
  #url: Url | undefined | null = null;

  /** Takes a link, the logical lines of its attributes, and how to read the URLs of other schemes. */
  constructor(link: Link, attributes: readonly string[], parse: (text: string) => Url) {
    this.name = textOf(link.name);
    // A line that cannot be read names no place.
    this.kind = link.location.hostType === "" ? "unknown" : (KINDS.get(link.target) ?? "unknown");
    this.#link = link;
    this.#lines = attributes;
    this.#parse = parse;
  }

  /** What is wrong with the line or one of its attributes, or why the links of a united directory are missing. */
  get fault(): string | undefined {
    return this.#link.fault ?? this.#lineAttributes.fault;
  }

  /** In bytes; `undefined` for directories. */
  get size(): number | undefined {
    return this.kind === "directory" ? undefined : this.#told.size;
  }

  get modified(): Date | undefined {
    return this.#told.modified;
  }

  /** Whether the contents of the target belong to the directory itself. */
  get union(): boolean {
    return this.#link.union;
  }

  /** The target as the server names it, as in `DIRECTORY+FILE`. */
  get target(): string {
    return textOf(this.#link.target);
  }

  get host(): string {
    return textOf(this.#link.location.host);
  }

  get port(): number | undefined {
    return this.#link.location.port;
  }

  /** The host-specific object name as text; `url` has its bytes. */
  get hsoname(): string {
    return textOf(this.#link.location.hsoname);
  }

  /** `"0"` where there is only one, or the latest is meant. */
  get version(): string {
    return textOf(this.#link.version);
  }

  /**
   * Where the link leads. RFC 1738 §3.11: "External Prospero links are represented as URLs of the underlying access method and
   * are not represented as Prospero URLs." `undefined` where no URL does.
   */
  get url(): Url | undefined {
    if (this.#url === null) this.#url = this.kind === "external" ? this.#external() : this.#object();
    return this.#url;
  }

  /** The ways to get at the target that the server told with the link, in its order. */
  get accessMethods(): readonly AccessMethod[] {
    return parseAccessMethods(this.#attributes, this.#link.location);
  }

  toJSON(): Record<string, unknown> {
    const { name, kind, size, modified, union, target, host, port, hsoname, version } = this;
    const { accessMethods, url, fault } = this;
    const link = { name, kind, size, modified, union, target, host, port, hsoname, version };
    return { ...link, accessMethods, url, fault };
  }

  get #attributes(): readonly Attribute[] {
    return this.#lineAttributes.attributes;
  }

  get #lineAttributes(): { readonly attributes: readonly Attribute[]; readonly fault: string | undefined } {
    return (this.#read ??= parseAttributes(this.#lines));
  }

  get #told(): ObjectInfo {
    return (this.#facts ??= parseObjectInfo(this.#attributes));
  }

  #object(): Url | undefined {
    if (this.kind === "symbolic" || this.kind === "unknown") return undefined;
    return toProsperoUrl(this.#link.location, this.#link.version, objectId(this.#attributes));
  }

  #external(): Url | undefined {
    const text = this.accessMethods.find(({ url }) => url !== undefined)?.url;
    try {
      return text === undefined ? undefined : this.#parse(text);
    } catch {
      // What a server names is no URL by the rules of its scheme.
      return undefined;
    }
  }
}

/** The attributes in logical lines, and the fault of the first line that cannot be read. */
function parseAttributes(lines: readonly string[]): { attributes: Attribute[]; fault: string | undefined } {
  const attributes: Attribute[] = [];
  let fault: string | undefined;
  for (const line of lines) {
    try {
      const read = parseLine(line);
      if (read.kind === "attribute") attributes.push(read);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      fault ??= error.reason;
    }
  }
  return { attributes, fault };
}

/** The prospero URL of a place; `undefined` for what has no host on the Internet, or none that a URL can name. */
export function toProsperoUrl(
  { hostType, host, port, nameType, hsoname }: ObjectLocation,
  version: string,
  id?: string,
): ProsperoUrl | undefined {
  if (hostType !== "INTERNET-D" || nameType !== "ASCII") return undefined;
  const fields: [string, Uint8Array][] = [];
  if (version !== "0") fields.push(["OBJECT-VERSION", latin1ToBytes(version)]);
  if (id !== undefined) fields.push(["ID", latin1ToBytes(id)]);
  const standard = port === prosperoSyntax.defaultPort ? undefined : port;
  try {
    return prosperoSyntax.build({ host, port: standard, hsoname: latin1ToBytes(hsoname), fields });
  } catch {
    return undefined;
  }
}
