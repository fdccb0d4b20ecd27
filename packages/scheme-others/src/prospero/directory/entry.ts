import { latin1ToBytes, decodeBinaryStringToText } from "@anyscheme/core/plugin";
import { AccessError, type DirectoryEntry } from "@anyscheme/core";
import type { Url } from "@anyscheme/core/syntax";
import {
  type ProsperoAccessMethod,
  findProsperoObjectId,
  type ProsperoObjectStat,
  parseAccessMethods,
  parseObjectStat,
} from "../object/attributes.ts";
import {
  type ProsperoAttribute,
  type ProsperoLink,
  type ProsperoObjectLocation,
  parseProsperoReplyLine,
} from "../protocol/reply-line.ts";
import { type ProsperoUrl, prosperoSyntax } from "../syntax.ts";

/** Maps the type of a Prospero link's target to the kind of the directory entry. */
const ENTRY_KINDS_BY_TARGET_TYPE: ReadonlyMap<string, ProsperoEntry["kind"]> = new Map([
  ["DIRECTORY", "directory"],
  ["DIRECTORY+FILE", "directory"],
  ["FILE", "file"],
  ["OBJECT", "object"],
  ["EXTERNAL", "external"],
  ["SYMBOLIC", "symbolic"],
]);

/** A link of a Prospero directory. The first access to an attribute of the link parses its attribute lines. */
export class ProsperoEntry implements DirectoryEntry {
  readonly name: string;
  /**
   * The kind of the Prospero link's target. `external` is an object of another protocol, and `symbolic` is a name in a
   * virtual system.
   */
  readonly kind: "directory" | "file" | "object" | "external" | "symbolic" | "unknown";
  /** True for a Prospero union link: the entries of its target directory count as entries of this directory. */
  readonly isUnionLink: boolean;
  /** The type of the Prospero link's target as the server names it, such as `DIRECTORY+FILE`. */
  readonly targetType: string;
  readonly host: string;
  readonly port: number | undefined;
  /**
   * The host-specific name of the link's target as text. The field `url` contains the original bytes of the
   * host-specific name.
   */
  readonly hsoname: string;
  /** The version of the Prospero link's target. Version `"0"` of a Prospero object is its only or latest version. */
  readonly version: string;
  readonly #link: ProsperoLink;
  readonly #attributeLines: readonly string[];
  readonly #parse: (text: string) => Url;
  #parsed: ParsedEntryAttributes | undefined;
  #url: Url | undefined | null = null;

  /**
   * Creates an entry. `attributes` are the attribute lines after the link line of the Prospero reply. `parse` parses
   * the URLs of other schemes that access methods of the Prospero object name.
   */
  constructor(link: ProsperoLink, attributes: readonly string[], parse: (text: string) => Url) {
    const { location, targetType } = link;
    this.name = decodeBinaryStringToText(link.name);
    // A Prospero entry for an invalid line has no location.
    this.kind =
      location.hostType === "" ? "unknown" : (ENTRY_KINDS_BY_TARGET_TYPE.get(targetType) ?? "unknown");
    this.isUnionLink = link.isUnion;
    this.targetType = decodeBinaryStringToText(targetType);
    this.host = decodeBinaryStringToText(location.host);
    this.port = location.port;
    this.hsoname = decodeBinaryStringToText(location.hsoname);
    this.version = decodeBinaryStringToText(link.version);
    this.#link = link;
    this.#attributeLines = attributes;
    this.#parse = parse;
  }

  /**
   * The reason why the line or an attribute of the Prospero link is invalid, or the directory of a union link cannot be
   * read.
   */
  get fault(): string | undefined {
    return this.#link.fault ?? this.#read().fault;
  }

  /** The size of the Prospero link's target in bytes, or `undefined` for directories. */
  get size(): number | undefined {
    return this.kind === "directory" ? undefined : this.#read().info.size;
  }

  get modified(): Date | undefined {
    return this.#read().info.modified;
  }

  /**
   * The URL of the Prospero link's target, or `undefined` for a target without a URL. RFC 1738 §3.11: "External
   * Prospero links are represented as URLs of the underlying access method and are not represented as Prospero URLs."
   */
  get url(): Url | undefined {
    if (this.#url === null) this.#url = this.kind === "external" ? this.#externalUrl() : this.#objectUrl();
    return this.#url;
  }

  /** The access methods that the Prospero server sent with the link, in the server's order. */
  get accessMethods(): readonly ProsperoAccessMethod[] {
    return parseAccessMethods(this.#read().attributes, this.#link.location);
  }

  toJSON(): Record<string, unknown> {
    const { name, kind, size, modified, isUnionLink, targetType, host, port, hsoname, version } = this;
    const { accessMethods, url, fault } = this;
    const link = { name, kind, size, modified, isUnionLink, targetType, host, port, hsoname, version };
    return { ...link, accessMethods, url, fault };
  }

  #read(): ParsedEntryAttributes {
    return (this.#parsed ??= parseEntryAttributes(this.#attributeLines));
  }

  #objectUrl(): Url | undefined {
    if (this.kind === "symbolic" || this.kind === "unknown") return undefined;
    return toProsperoUrl(
      this.#link.location,
      this.#link.version,
      findProsperoObjectId(this.#read().attributes),
    );
  }

  #externalUrl(): Url | undefined {
    const text = this.accessMethods.find(({ url }) => url !== undefined)?.url;
    try {
      return text === undefined ? undefined : this.#parse(text);
    } catch {
      // The URL of an access method of a Prospero object may violate the grammar of its scheme.
      return undefined;
    }
  }
}

interface ParsedEntryAttributes {
  readonly attributes: readonly ProsperoAttribute[];
  readonly info: ProsperoObjectStat;
  /** The fault of the first invalid attribute line of a Prospero link. */
  readonly fault: string | undefined;
}

function parseEntryAttributes(lines: readonly string[]): ParsedEntryAttributes {
  const attributes: ProsperoAttribute[] = [];
  let fault: string | undefined;
  for (const line of lines) {
    try {
      const parsed = parseProsperoReplyLine(line);
      if (parsed.kind === "attribute") attributes.push(parsed);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      fault ??= error.reason;
    }
  }
  return { attributes, info: parseObjectStat(attributes), fault };
}

/**
 * Builds the prospero URL of the location of an object. Returns `undefined` if the type of the object's host is not
 * Internet, or if no URL can contain the host.
 */
export function toProsperoUrl(
  { hostType, host, port, nameType, hsoname }: ProsperoObjectLocation,
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
