import { quoteToken } from "./prospero-tokenizer.ts";

/** A configured link of a directory, in addition to the links to the objects below the directory. */
export interface ProsperoLink {
  readonly name: string;
  /** The type of the Prospero link's target. Default `FILE`. */
  readonly targetType?: string;
  /** True when the link is a union link, whose target's links appear in this directory. Default false. */
  readonly union?: boolean;
  /** The host type in a Prospero link, which tells how the host is named. Default `INTERNET-D`. */
  readonly hostType?: string;
  /**
   * The host of the Prospero link's target. A Prospero port other than 1525 follows the host in parentheses. Default:
   * this server.
   */
  readonly host?: string;
  readonly hsoname: string;
  /** The version number of the Prospero link's target. Default 0. */
  readonly version?: number;
  /** The attribute lines that follow the link in a Prospero reply, even when the client requests no attributes. */
  readonly attributes?: readonly string[];
}

/** The host and the host-specific name to which an object has moved. */
export interface ProsperoForwardingTarget {
  readonly host: string;
  readonly hsoname: string;
}

/** A file, a directory or a forwarding pointer that a Prospero test server has under a name. */
export type TestProsperoObject =
  | string
  | Uint8Array
  | {
      readonly content: string | Uint8Array;
      /** The modification time of the Prospero file, as in `20261120204018Z`. */
      readonly modified?: string;
      /** The `ATTRIBUTE` lines of a reply that precede the standard attributes of the Prospero file. */
      readonly attributes?: readonly string[];
    }
  | { readonly links: readonly ProsperoLink[]; readonly modified?: string }
  | { readonly forwardedTo: ProsperoForwardingTarget };

/**
 * The objects of the Prospero server by their host-specific names. A Prospero directory listing contains the objects in
 * the order of this record.
 */
export type ProsperoObjects = Readonly<Record<string, TestProsperoObject>>;

export interface ServedProsperoFile {
  readonly kind: "file";
  readonly content: Buffer;
  readonly modified: string;
  readonly attributes: readonly string[];
}

export interface ServedProsperoDirectory {
  readonly kind: "directory";
  readonly modified: string;
  readonly links: readonly ProsperoLink[];
}

export interface ServedProsperoForwardingPointer extends ProsperoForwardingTarget {
  readonly kind: "forwarded";
}

export type ServedProsperoObject =
  ServedProsperoFile | ServedProsperoDirectory | ServedProsperoForwardingPointer;

const DEFAULT_MODIFIED_TIME = "20261120204018Z";

/** Returns the files and directories of the Prospero server by name. Creates the parent directories of objects. */
export function createServedProsperoObjects(objects: ProsperoObjects): Map<string, ServedProsperoObject> {
  const nodes = new Map<string, ServedProsperoObject>();
  for (const [path, object] of Object.entries(objects)) {
    for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) {
      const parent = path.slice(0, at);
      if (!nodes.has(parent))
        nodes.set(parent, { kind: "directory", modified: DEFAULT_MODIFIED_TIME, links: [] });
    }
    nodes.set(path, createServedObject(object));
  }
  return nodes;
}

function createServedObject(object: TestProsperoObject): ServedProsperoObject {
  if (typeof object === "string" || object instanceof Uint8Array)
    return createServedObject({ content: object });
  if ("forwardedTo" in object) return { kind: "forwarded", ...object.forwardedTo };
  const { modified = DEFAULT_MODIFIED_TIME } = object;
  if ("links" in object) return { kind: "directory", modified, links: object.links };
  return {
    kind: "file",
    content: Buffer.from(object.content),
    modified,
    attributes: object.attributes ?? [],
  };
}

/** Returns the `LINK` line of a Prospero reply. */
export function formatProsperoLinkLine(link: ProsperoLink, here: string): string {
  const {
    name,
    targetType = "FILE",
    union = false,
    hostType = "INTERNET-D",
    host = here,
    hsoname,
    version = 0,
  } = link;
  const tokens = [name, hostType, host, "ASCII", hsoname].map(quoteToken).join(" ");
  return `LINK  ${union ? "U" : "L"} ${targetType} ${tokens} ${version}\n`;
}

/** Returns the names and the reply lines of the attributes of a file or directory. */
export function listProsperoAttributeLines(
  node: ServedProsperoObject,
  aftpPath: string | undefined,
): [name: string, line: string][] {
  if (node.kind === "forwarded") return [];
  const isFile = node.kind === "file";
  const intrinsic: [string, string][] = [
    ["SIZE", quoteToken(`${isFile ? node.content.length : 4096} bytes`)],
    ["NATIVE-OWNER", "root"],
    ["NATIVE-GROUP", "root"],
    ["LAST-MODIFIED", node.modified],
    ["UNIX-MODES", isFile ? "-rw-r--r--" : "drwxr-xr-x"],
    ...(isFile ? listAccessMethods(aftpPath) : []),
  ];
  return [
    ...(isFile ? node.attributes : []).map((line): [string, string] => [
      line.split(" ")[3] ?? "",
      `${line}\n`,
    ]),
    ...intrinsic.map(([name, value]): [string, string] => [name, formatProsperoAttributeLine(name, value)]),
  ];
}

function listAccessMethods(aftpPath: string | undefined): [string, string][] {
  const own = ["PROSPERO-CONTENTS", "LOCAL"].map((method) => `${method} '' '' '' ''`);
  const aftp =
    aftpPath === undefined ? [] : [`AFTP INTERNET-D LOCALHOST ASCII ${quoteToken(aftpPath)} BINARY`];
  return [...own, ...aftp].map((value) => ["ACCESS-METHOD", value]);
}

export function formatProsperoAttributeLine(name: string, value: string): string {
  return `ATTRIBUTE OBJECT INTRINSIC ${name} SEQUENCE ${value}\n`;
}
