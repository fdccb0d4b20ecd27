import { LIMIT_OPTIONS, type LimitName } from "./limit-options.ts";

export type CommandName =
  | "get"
  | "ls"
  | "form"
  | "parse"
  | "plan"
  | "extract"
  | "lint"
  | "schemes"
  | "gateway"
  | "completion"
  | "open";

/** The operands and the help text of one command. */
export interface CommandDefinition {
  readonly name: CommandName;
  /** The operands as the help shows them, as in `URL`, or `[FILE…]` for any number of files. */
  readonly operandSyntax: string;
  readonly summary: string;
  /** The paragraphs that the help for this command shows below the summary. */
  readonly helpParagraphs: readonly string[];
}

export const COMMAND_DEFINITIONS: readonly CommandDefinition[] = [
  {
    name: "get",
    operandSyntax: "URL…",
    summary: "download URLs to standard output or to files",
    helpParagraphs: [
      "get guesses the scheme of a URL without a scheme, as in example.com/x or localhost:8080/x. The guess is ftp for a host name that begins with ftp., gopher for a host name that begins with gopher., and http otherwise. A line on standard error shows the guessed URL. get does not guess the scheme of a text with a login, as in joe@example.com.",
      "For a directory or a menu, get writes a listing, as ls does. get writes binary data to a terminal only with -o -.",
      "An output file gets its final name only when the download is complete. get compares the size of the file with the size that the server announced.",
      "With --json, get writes one line of JSON for each resource. It then downloads the body only with -o or -O.",
    ],
  },
  {
    name: "ls",
    operandSyntax: "URL",
    summary: "list a directory or menu",
    helpParagraphs: [
      "ls lists an FTP URL without a type as a directory, as with ;type=d. A file is listed as one line.",
      "The columns are kind, size in bytes, date (UTC) and name; '-' marks an unknown value. The links of a Gopher menu are numbered; information lines have no number.",
      "With --json, ls writes one line of JSON for each entry.",
    ],
  },
  {
    name: "open",
    operandSyntax: "URL",
    summary: "connect the terminal to a Telnet service, or pass a mailto: URL to the mail program",
    helpParagraphs: [
      "The login of a telnet: URL is shown and never sent. Ctrl-] closes the connection. Output of the service reaches the terminal unchanged. When standard input or output is not a terminal, open sends the lines of standard input and writes the answer to standard output.",
      "After the end of standard input, the connection stays open until the service has answered and has been silent for the seconds of --close-after. The exit code is 0 only if the service sent data.",
      "The default mail program opens a mailto: URL with the header fields subject, body, to, cc, bcc, keywords and in-reply-to. Other fields are removed.",
      "open does not download data; use get.",
    ],
  },
  {
    name: "form",
    operandSyntax: "URL",
    summary: "fill in a Gopher form or search at the terminal, submit it, and write the response",
    helpParagraphs: [
      "The URL may refer to a Gopher item, or to its Gopher+ form, whose URL ends with ?. An empty answer keeps the default value, which is shown in brackets.",
    ],
  },
  {
    name: "parse",
    operandSyntax: "URL",
    summary: "show the components of a URL, and its deviations from RFC 1738",
    helpParagraphs: [
      "Each component is shown as written in the URL, and percent-decoded if the decoded text differs. The password is masked.",
      "For an invalid URL, parse marks the faulty characters, and shows the section of RFC 1738 and a suggestion.",
      "A warning names the host, port or request target that RFC 3986 or the WHATWG URL Standard reads instead. Commands that send a request refuse a URL with another host or port.",
    ],
  },
  {
    name: "plan",
    operandSyntax: "URL",
    summary: "show the protocol steps of get, without a DNS lookup or a connection",
    helpParagraphs: [
      "Each step names the section of the specification that requires the step. The password is masked.",
    ],
  },
  {
    name: "extract",
    operandSyntax: "[FILE…]",
    summary: "print every URL in the text of files or of standard input",
    helpParagraphs: [
      "extract finds URLs in <URL:…>, and bare URLs of the schemes that the command schemes lists. It removes white space and line breaks within <URL:…>, and punctuation after a bare URL. A URL with a hyphen at a line end is printed with and without the hyphen. Without FILE, or when FILE is -, extract reads standard input as a stream.",
      "A URL is printed as written in the text, with its fragment and its password. On a terminal, characters that change the direction of text are escaped as \\u{202e}.",
      "With --json, each line has file, url (in the syntax of RFC 1738), text (the URL as found, on one line), fragment, index and length (in bytes, with the white space inside), line, column (in characters), wrapped (true within <URL:…>), and alternative (true for the URL without the hyphen at a line end).",
      "The exit code is 0 when a URL was found, and 1 otherwise.",
    ],
  },
  {
    name: "lint",
    operandSyntax: "[FILE…]",
    summary: "report where URLs in the text of files deviate from RFC 1738",
    helpParagraphs: [
      "lint checks the URLs that extract finds, and reports invalid URLs. Each output line is FILE:LINE:COLUMN: CODE: message (section); suggestion. Columns count characters. For an invalid URL, lint reports only the first fault. Without FILE, or when FILE is -, lint reads standard input.",
      'With --json, each line has file, line, column, index and length (in bytes), kind ("fault", "deviation" or "ambiguity"), code, section, message, suggestion, and the text of the URL with its password masked.',
      "The exit code is 0 if no URL has a problem, and 1 otherwise.",
    ],
  },
  {
    name: "schemes",
    operandSyntax: "",
    summary: "list the URL schemes",
    helpParagraphs: [],
  },
  {
    name: "gateway",
    operandSyntax: "",
    summary: "start a local web server and proxy that shows URLs of every scheme",
    helpParagraphs: [
      "The gateway listens at 127.0.0.1 until it is interrupted. It connects to public servers only, and rejects URLs with a password.",
      "A browser or another program can use the gateway as its HTTP proxy, as in: curl -x localhost:8070 ftp://HOST/PATH. curl supports no HTTP proxy for gopher: URLs; request a path of the gateway instead, as in: curl localhost:8070/~raw/gopher/HOST/0/SELECTOR",
    ],
  },
  {
    name: "completion",
    operandSyntax: "bash|zsh|fish",
    summary: "print a completion script for a shell",
    helpParagraphs: ["To install the completion script for bash, run: anyscheme completion bash >>~/.bashrc"],
  },
];

/** The values of the options on a command line. */
export interface OptionValues extends Readonly<Partial<Record<LimitName, string>>> {
  readonly output?: string;
  readonly "remote-name"?: boolean;
  readonly recursive?: boolean;
  readonly user?: string;
  readonly silent?: boolean;
  readonly color?: string;
  readonly gateway?: readonly string[];
  readonly proxy?: string | false;
  readonly noproxy?: string;
  readonly "news-server"?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly progress?: boolean;
  readonly strict?: boolean;
  readonly "proto-default"?: string;
  readonly "wrapped-only"?: boolean;
  readonly "allow-port"?: readonly string[];
  readonly "file-root"?: string;
  readonly type?: string;
  readonly email?: string;
  readonly "ftp-method"?: string;
  readonly tls?: string;
  readonly cacert?: string;
  readonly request?: string;
  readonly data?: readonly string[];
  readonly "data-binary"?: readonly string[];
  readonly header?: readonly string[];
  readonly "continue-at"?: string;
  readonly "max-time"?: string;
  readonly "close-after"?: string;
  readonly port?: string;
  readonly help?: boolean;
  readonly version?: boolean;
}

/** One option. The parser, the help, the manual page and the completion scripts read this table. */
export interface OptionDefinition {
  readonly name: keyof OptionValues;
  readonly shortName?: string;
  /** The name of the option's value in the help, as in `FILE`. An option without a value name is a flag. */
  readonly valueName?: string;
  /** True when the option may be given more than once. */
  readonly isRepeatable?: true;
  /** True when `--no-<name>` is an option too. */
  readonly isNegatable?: true;
  /** The commands that accept the option. Default: all commands. Default: all. */
  readonly commands?: readonly CommandName[];
  readonly description: string;
}

const COMMANDS_WITH_REQUESTS: readonly CommandName[] = ["get", "ls", "form", "open"];
const COMMANDS_WITH_URL_OPERANDS: readonly CommandName[] = ["get", "ls", "parse", "plan"];
const COMMANDS_WITH_LIMITS: readonly CommandName[] = ["get", "ls"];
const SEARCH_COMMANDS: readonly CommandName[] = ["extract", "lint"];

export const OPTION_DEFINITIONS: readonly OptionDefinition[] = [
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
    name: "proxy",
    shortName: "x",
    valueName: "[PROTOCOL://]HOST[:PORT]",
    isNegatable: true,
    commands: [...COMMANDS_WITH_REQUESTS, "gateway"],
    description:
      "use this proxy: http (the default), https, socks5, or socks5h, which resolves the names of servers itself; default: the environment variables of curl, such as https_proxy and all_proxy; --no-proxy ignores them",
  },
  {
    name: "noproxy",
    valueName: "LIST",
    commands: [...COMMANDS_WITH_REQUESTS, "gateway"],
    description:
      "use no proxy for these hosts, as in localhost,.example.com,10.0.0.0/8; * is every host; default: the variable no_proxy",
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
    commands: COMMANDS_WITH_REQUESTS,
    description: "trace the protocol on standard error: > sent, < received, * event",
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
    commands: [...COMMANDS_WITH_REQUESTS, "gateway"],
    description: "allow a port that the scheme refuses by default, as in gopher:7070",
  },
  {
    name: "file-root",
    valueName: "DIR",
    commands: COMMANDS_WITH_REQUESTS,
    description: "root folder of file: URLs; default: the current folder",
  },
  {
    name: "type",
    valueName: "a|i|d",
    commands: ["get", "ls", "plan"],
    description:
      "FTP transfer type: a for text, i for binary, d for a list of names; default: the type in the URL",
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
    commands: ["get", "ls", "plan"],
    description:
      "how FTP changes to a directory: multicwd, singlecwd, absolute, or adaptive (tries the next method when the server refuses one)",
  },
  {
    name: "tls",
    valueName: "MODE",
    commands: ["get", "ls", "plan"],
    description: "TLS for FTP: explicit, implicit, or opportunistic (if the server offers it); default: none",
  },
  {
    name: "cacert",
    valueName: "FILE",
    commands: ["get", "ls"],
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
    description: "resume the download to the file of -o or -O at this byte offset; - is the end of the file",
  },
  {
    name: "max-time",
    shortName: "m",
    valueName: "SECONDS",
    commands: COMMANDS_WITH_REQUESTS,
    description: "maximum time for each URL, including its body",
  },
  {
    name: "close-after",
    valueName: "SECONDS",
    commands: ["open"],
    description:
      "after the end of standard input, close the connection when the service has sent no data for this time; 0 closes at once; default: 3",
  },
  ...LIMIT_OPTIONS.map(({ name, unit, clientLimit, description }) => ({
    name,
    valueName: unit,
    commands: clientLimit === undefined ? (["get"] as const) : COMMANDS_WITH_LIMITS,
    description: `${description}; the value none removes the limit`,
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
];
