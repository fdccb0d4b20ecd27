import type { CommandName } from "./command-definitions.ts";
import { LIMIT_OPTION_DEFINITIONS } from "./limit-options.ts";

/** One option. The parser, the help, the manual page and the completion scripts read the table of the options. */
export interface OptionDefinition {
  readonly name: string;
  readonly shortName?: string;
  /** The name of the option's value in the help, as in `FILE`. An option without a value name is a flag. */
  readonly valueName?: string;
  /** The values that the option accepts. Undefined for an option that also accepts other values. */
  readonly choices?: readonly string[];
  /** True when the option may be given more than once. */
  readonly isRepeatable?: true;
  /** True when `--no-<name>` is an option too. */
  readonly isNegatable?: true;
  /** The commands that accept the option. Default: all commands. */
  readonly commands?: readonly CommandName[];
  readonly description: string;
}

const COMMANDS_WITH_REQUESTS: readonly CommandName[] = ["get", "ls", "form", "open"];
const COMMANDS_WITH_URL_OPERANDS: readonly CommandName[] = ["get", "ls", "parse", "plan"];
const COMMANDS_WITH_LIMITS: readonly CommandName[] = ["get", "ls", "plan"];
/**
 * The commands that accept the options for connections. The command `plan` accepts the options for connections too, but
 * opens no connection.
 */
const COMMANDS_WITH_CONNECTION_OPTIONS: readonly CommandName[] = [...COMMANDS_WITH_REQUESTS, "plan"];
const SEARCH_COMMANDS: readonly CommandName[] = ["extract", "lint"];
/** The commands that accept `--scheme`, because they use URL schemes. */
const COMMANDS_WITH_SCHEMES: readonly CommandName[] = [
  ...COMMANDS_WITH_REQUESTS,
  "parse",
  "plan",
  ...SEARCH_COMMANDS,
  "schemes",
  "gateway",
];

export const FTP_CWD_METHODS = ["multicwd", "singlecwd", "absolute", "adaptive"] as const;
export const TLS_MODES = ["explicit", "implicit", "opportunistic"] as const;

const OPTION_TABLE = [
  {
    name: "output",
    shortName: "o",
    valueName: "FILE",
    commands: ["get"],
    description: "write to FILE; - is standard output",
  },
  {
    name: "remote-name",
    shortName: "O",
    commands: ["get"],
    description: "write to a file in the current folder, with the last part of the URL path as its name",
  },
  {
    name: "clobber",
    isNegatable: true,
    commands: ["get"],
    description:
      "replace an existing file of -o or -O (the default); --no-clobber keeps it, and writes to FILE.1 or the next number up to FILE.100",
  },
  {
    name: "create-dirs",
    commands: ["get"],
    description: "create the missing folders of the path of -o",
  },
  {
    name: "remote-time",
    shortName: "R",
    commands: ["get"],
    description: "give the file of -o or -O the date that the server states; -r does so without this option",
  },
  {
    name: "parallel-max",
    valueName: "COUNT",
    commands: ["get"],
    description:
      "maximum number of parallel transfers of -O and -r; default: 8, and 3 for one host; 1 transfers one file at a time",
  },
  {
    name: "input-file",
    valueName: "FILE",
    commands: ["get"],
    description: "get the URLs in FILE too, one on each line; - is standard input; # begins a comment line",
  },
  {
    name: "head",
    shortName: "I",
    commands: ["get", "plan"],
    description: "request only the headers of an http or https URL (method HEAD), and write them",
  },
  {
    name: "include",
    shortName: "i",
    commands: ["get"],
    description: "write the status line and the headers of an HTTP response before its body",
  },
  {
    name: "recursive",
    shortName: "r",
    commands: ["get"],
    description:
      "download a directory tree into the folder of -o, or into a folder with the directory's name",
  },
  {
    name: "user",
    shortName: "u",
    valueName: "NAME[:PASSWORD]",
    commands: ["get", "ls", "form", "plan"],
    description:
      "user name and password for URLs without a login; without PASSWORD, the terminal asks for the password",
  },
  { name: "silent", shortName: "s", description: "write no messages to standard error" },
  {
    name: "color",
    valueName: "auto|always|never",
    choices: ["auto", "always", "never"],
    commands: ["ls"],
    description: "show listings in colour; default: on a terminal, unless NO_COLOR is set",
  },
  {
    name: "gateway",
    valueName: "SCHEME=TEMPLATE[,WHEN]",
    isRepeatable: true,
    commands: [...COMMANDS_WITH_REQUESTS, "plan", "gateway"],
    description:
      "use a gateway for a scheme, as in wais=http://gw.example/?url={url}; WHEN is always, unavailable (if the server is unavailable) or unregistered (if the scheme is unregistered)",
  },
  {
    name: "scheme",
    valueName: "FILE",
    isRepeatable: true,
    commands: COMMANDS_WITH_SCHEMES,
    description:
      "add the schemes of this ES module, whose default export is a scheme, an array of schemes, or a function that returns one; the code of the module is executed",
  },
  {
    name: "proxy",
    shortName: "x",
    valueName: "[PROTOCOL://]HOST[:PORT]",
    isNegatable: true,
    commands: [...COMMANDS_WITH_CONNECTION_OPTIONS, "gateway"],
    description:
      "use this proxy: http (the default), https, socks5, or socks5h, which resolves the names of servers itself; default: the environment variables of curl, such as https_proxy and all_proxy; --no-proxy ignores them",
  },
  {
    name: "noproxy",
    valueName: "LIST",
    commands: [...COMMANDS_WITH_CONNECTION_OPTIONS, "gateway"],
    description:
      "use no proxy for these hosts, as in localhost,.example.com,10.0.0.0/8; * is every host; default: the variable no_proxy",
  },
  {
    name: "proxy-cacert",
    valueName: "FILE",
    commands: [...COMMANDS_WITH_CONNECTION_OPTIONS, "gateway"],
    description:
      "trust the PEM certificates in FILE for an https proxy, instead of the built-in certificates",
  },
  {
    name: "json",
    commands: [...COMMANDS_WITH_URL_OPERANDS, ...SEARCH_COMMANDS, "schemes"],
    description: "write JSON instead of text",
  },
  {
    name: "news-server",
    valueName: "HOST[:PORT]",
    isRepeatable: true,
    commands: [...COMMANDS_WITH_REQUESTS, "plan", "gateway"],
    description:
      "read news from this server; repeat the option for a list of servers, which are tried in order",
  },
  {
    name: "verbose",
    shortName: "v",
    commands: COMMANDS_WITH_CONNECTION_OPTIONS,
    description:
      "trace the protocol on standard error: > sent, < received, * event; values of headers that may be secret are masked",
  },
  {
    name: "progress",
    isNegatable: true,
    commands: ["get"],
    description: "show the progress of downloads; default: only on a terminal",
  },
  {
    name: "strict",
    commands: [...COMMANDS_WITH_URL_OPERANDS, "form", "extract"],
    description: "reject URLs that deviate from the grammar of RFC 1738",
  },
  {
    name: "proto-default",
    valueName: "SCHEME",
    commands: [...COMMANDS_WITH_REQUESTS, "parse", "plan"],
    description: "scheme of URLs without a scheme; default: http, or ftp or gopher by the name of the host",
  },
  {
    name: "wrapped-only",
    commands: SEARCH_COMMANDS,
    description: "find only URLs that are wrapped in <URL:…>",
  },
  {
    name: "allow-port",
    valueName: "SCHEME:PORT",
    isRepeatable: true,
    commands: [...COMMANDS_WITH_CONNECTION_OPTIONS, "gateway"],
    description: "allow a port that the scheme refuses by default, as in gopher:7070",
  },
  {
    name: "public-only",
    commands: COMMANDS_WITH_CONNECTION_OPTIONS,
    description:
      "refuse private addresses and file: URLs on the command line too, for URLs that strangers hand you",
  },
  {
    name: "file-root",
    valueName: "DIR",
    commands: COMMANDS_WITH_CONNECTION_OPTIONS,
    description: "root folder of file: URLs; default: the current folder",
  },
  {
    name: "type",
    valueName: "a|i|d",
    choices: ["a", "i", "d"],
    commands: ["get", "ls", "plan"],
    description:
      "FTP transfer type: a for text, i for binary, d for a list of names; default: the type in the URL, or i; get guesses the type only for output to a terminal",
  },
  {
    name: "email",
    valueName: "ADDRESS",
    commands: ["get", "ls", "plan"],
    description: "email address, which is the password for anonymous FTP",
  },
  {
    name: "ftp-method",
    valueName: "METHOD",
    choices: FTP_CWD_METHODS,
    commands: ["get", "ls", "plan"],
    description:
      "how FTP changes to a directory: multicwd, singlecwd, absolute, or adaptive (tries the next method when the server refuses one)",
  },
  {
    name: "tls",
    valueName: "MODE",
    choices: TLS_MODES,
    commands: ["get", "ls", "plan"],
    description: "TLS for FTP: explicit, implicit, or opportunistic (if the server offers it); default: none",
  },
  {
    name: "cacert",
    valueName: "FILE",
    commands: ["get", "ls", "plan"],
    description: "trust the PEM certificates in FILE instead of the built-in certificates",
  },
  {
    name: "request",
    shortName: "X",
    valueName: "METHOD",
    commands: ["get", "plan"],
    description: "HTTP method, as in PUT; default: POST with --data, and GET otherwise",
  },
  {
    name: "data",
    shortName: "d",
    valueName: "DATA",
    isRepeatable: true,
    commands: ["get", "plan"],
    description:
      "send DATA as the body of an HTTP request; @FILE sends a file without its line ends; several values are joined with &",
  },
  {
    name: "data-binary",
    valueName: "DATA",
    isRepeatable: true,
    commands: ["get", "plan"],
    description: "send DATA as --data does, but a file of @FILE unchanged",
  },
  {
    name: "header",
    shortName: "H",
    valueName: "HEADER",
    isRepeatable: true,
    commands: ["get", "ls", "plan"],
    description: 'send an HTTP header, as in "accept: text/html"',
  },
  {
    name: "continue-at",
    shortName: "C",
    valueName: "OFFSET",
    commands: ["get"],
    description:
      "resume the download to the file of -o or -O at this byte offset of the file, and replace the rest; - is the end of the file",
  },
  {
    name: "max-time",
    shortName: "m",
    valueName: "SECONDS",
    commands: COMMANDS_WITH_CONNECTION_OPTIONS,
    description: "maximum time for each URL, including its body; default: none",
  },
  {
    name: "retry",
    valueName: "COUNT",
    commands: COMMANDS_WITH_CONNECTION_OPTIONS,
    description:
      "repeat a request after a temporary failure at most COUNT times; the first wait is 1 s; default: 0",
  },
  {
    name: "cache",
    valueName: "DIR",
    commands: ["get", "ls", "plan", "gateway"],
    description: "store HTTP responses in this directory, and use them again while they are fresh (RFC 9111)",
  },
  {
    name: "gopher-ttl",
    valueName: "SECONDS",
    commands: ["get", "ls", "plan", "gateway"],
    description: "store Gopher responses in the directory of --cache too, and use them again for this time",
  },
  {
    name: "close-after",
    valueName: "SECONDS",
    commands: ["open"],
    description:
      "after the end of standard input, close the connection when the service has sent no data for this time; 0 closes at once; default: 3",
  },
  ...LIMIT_OPTION_DEFINITIONS.map(({ name, unit, clientLimitName, defaultText, description }) => ({
    name,
    valueName: unit,
    commands: clientLimitName === undefined ? (["get"] as const) : COMMANDS_WITH_LIMITS,
    description: `${description}; default: ${defaultText}${defaultText === "none" ? "" : "; the value none removes the limit"}`,
  })),
  {
    name: "port",
    valueName: "PORT",
    commands: ["gateway"],
    description: "listen at this port; 0 selects any free port; default: 8070",
  },
  {
    name: "help",
    shortName: "h",
    description: "show help; --help COMMAND explains a command, and --help exit the exit codes",
  },
  { name: "version", shortName: "V", description: "show the version" },
] as const satisfies readonly OptionDefinition[];

type OptionRow = (typeof OPTION_TABLE)[number];

/** The type of the value of an option, by its row in the table. */
type OptionValue<Row extends OptionRow> = Row extends { isRepeatable: true }
  ? readonly string[]
  : Row extends { valueName: string }
    ? string | (Row extends { isNegatable: true } ? false : never)
    : boolean;

export type OptionValues = { readonly [Row in OptionRow as Row["name"]]?: OptionValue<Row> };

export const OPTION_DEFINITIONS: readonly OptionDefinition[] = OPTION_TABLE;
