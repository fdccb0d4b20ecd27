import type { LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";

/** The content of a mime.types file for the suffixes of the sample files. */
export const pygopherdMimeTypesText =
  "text/plain txt\ntext/html html\nimage/gif gif\napplication/octet-stream bin\n";

/** The Gopher item types by the media type of the file. The first entry that matches the media type applies. */
const itemTypeByMediaType: readonly (readonly [mediaType: string, itemType: string])[] = [
  ["text/html", "h"],
  ["text/.+", "0"],
  ["image/gif", "g"],
  ["image/.+", "I"],
  ["application/gopher-menu", "1"],
  ["application/gopher\\\\+-menu", "1"],
  ["application/.+", "9"],
  [".*", "0"],
];

/**
 * Returns pygopherd.conf with Gopher and Gopher+ only. By default, pygopherd also serves HTTP and other
 * protocols on the same port.
 */
export function formatPygopherdConf(
  { address, port, documentRoot: root }: LaunchDirectoryAndPorts,
  mimeTypesFile: string,
): string {
  const mapping = itemTypeByMediaType
    .map(([mediaType, itemType]) => `['${mediaType}', '${itemType}']`)
    .join(", ");
  const sections: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    pygopherd: {
      detach: "no",
      interface: address,
      port: String(port),
      servername: "localhost",
      servertype: "ThreadingTCPServer",
      timeout: "60",
      abstract_headers: "on",
      abstract_entries: "always",
      tracebacks: "yes",
      usechroot: "no",
      enable_tls: "no",
      root,
      mimetypes: mimeTypesFile,
      encoding: "list(mimetypes.encodings_map.items())",
    },
    logger: { logmethod: "file" },
    GopherEntry: {
      defaultmimetype: "text/plain",
      mapping: `[${mapping}]`,
      eaexts: "{'.abstract': 'ABSTRACT', '.keywords': 'KEYWORDS', '.ask': 'ASK'}",
    },
    "handlers.HandlerMultiplexer": {
      handlers:
        "[url.HTMLURLHandler, gophermap.BuckGophermapHandler, UMN.UMNDirHandler, html.HTMLFileTitleHandler, file.FileHandler]",
    },
    "handlers.file.CompressedFileHandler": { decompressors: "{}", decompresspatt: ".*" },
    "handlers.dir.DirHandler": {
      ignorepatt: "/\\.cap$|/\\.cache|/gophermap$|\\.abstract$|\\.keywords$|\\.ask$|~$",
      cachetime: "0",
      cachefile: ".cache.pygopherd.dir",
    },
    "handlers.UMN.UMNDirHandler": { extstrip: "none" },
    "handlers.ZIP.ZIPHandler": { enabled: "false", pattern: "\\.zip$" },
    "protocols.ProtocolMultiplexer": {
      protocols: "[gopherp.GopherPlusProtocol, rfc1436.GopherProtocol]",
    },
    "protocols.gopherp.GopherPlusProtocol": { admin: "Test Admin <admin@example.invalid>" },
  };
  return Object.entries(sections)
    .map(([name, settings]) => {
      const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
      return `[${name}]\n${lines.join("")}`;
    })
    .join("");
}
