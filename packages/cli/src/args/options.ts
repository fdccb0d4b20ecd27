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

/** The operands and the help of one command. */
export interface CommandDefinition {
  readonly name: CommandName;
  /** The operands in the help: `URL`, or `[FILE…]` for any number. */
  readonly operandSyntax: string;
  readonly summary: string;
  /** Paragraphs of the help for this command. */
  readonly helpParagraphs: readonly string[];
}

export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: "get",
    operandSyntax: "URL…",
    summary: "download URLs to standard output or to files",
    helpParagraphs: [
      "A directory or menu is listed, as by ls. Binary data is not written to a terminal, unless -o - is given.",
      "A file gets its name only when it is complete. Its size is compared with the size that the server announced.",
      "With --json, get writes one line of JSON for each resource. It then downloads the body only with -o or -O.",
    ],
  },
  {
    name: "ls",
    operandSyntax: "URL",
    summary: "list a directory or menu",
    helpParagraphs: [
      "An FTP URL without a type is listed as a directory, as with ;type=d. A file is listed as one line.",
      "The columns are kind, size in bytes, date (UTC) and name; '-' is an unknown value. Gopher menus number their links; lines of information have no number.",
      "With --json, ls writes one line of JSON for each entry.",
    ],
  },
  {
    name: "open",
    operandSyntax: "URL",
    summary: "connect the terminal to a Telnet service, or pass an address to the mail program",
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
      "The URL may be that of the item or of its form, which ends with the Gopher+ string ?. An empty answer keeps the default in brackets.",
    ],
  },
  {
    name: "parse",
    operandSyntax: "URL",
    summary: "show the components of a URL, and its deviations from RFC 1738",
    helpParagraphs: [
      "Each component is shown as written, followed by its decoded value where that differs. The password is masked.",
      "For an invalid URL, a mark shows the fault, with the section of RFC 1738 and a suggestion.",
    ],
  },
  {
    name: "plan",
    operandSyntax: "URL",
    summary: "show the protocol steps of get; nothing is resolved or connected",
    helpParagraphs: [
      "Each step names the section of the specification that requires it. The password is masked.",
    ],
  },
  {
    name: "extract",
    operandSyntax: "[FILE…]",
    summary: "print every URL in the text of files or of standard input",
    helpParagraphs: [
      "Finds URLs in <URL:…>, and bare URLs of the schemes that schemes lists. White space and line breaks within <URL:…> are removed, and so is punctuation after a bare URL. For a hyphen at a line end, both readings are printed. Without FILE, or when FILE is -, standard input is read as a stream.",
      "A URL is printed as found, with its fragment and its password. On a terminal, characters that change the direction of text are escaped as \\u{202e}.",
      "With --json, each line has file, url (as RFC 1738 writes it), text (as found, on one line), fragment, index and length (in bytes, with the white space inside), line, column (in characters), wrapped, and alternative for the second reading of a hyphen.",
      "The exit code is 0 when a URL was found, and 1 otherwise.",
    ],
  },
  {
    name: "lint",
    operandSyntax: "[FILE…]",
    summary: "report where URLs in the text of files deviate from RFC 1738",
    helpParagraphs: [
      "Checks what extract finds, and invalid URLs. Each line is FILE:LINE:COLUMN: CODE: message (section); suggestion. Columns count characters. An invalid URL has one line, for its first fault. Without FILE, or when FILE is -, standard input is read.",
      'With --json, each line has file, line, column, index and length (in bytes), kind ("fault", "deviation" or "ambiguity"), code, section, message, suggestion, and the text of the URL with its password masked.',
      "The exit code is 0 without problems, and 1 otherwise.",
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
      "Listens at 127.0.0.1 until it is interrupted. It connects to public servers only, and rejects URLs with a password.",
      "A browser or program can use it as HTTP proxy, as in: curl -x localhost:8070 ftp://HOST/PATH. curl has no HTTP proxy for gopher; use the path instead, as in: curl localhost:8070/~raw/gopher/HOST/0/SELECTOR",
    ],
  },
  {
    name: "completion",
    operandSyntax: "bash|zsh|fish",
    summary: "print a completion script for a shell",
    helpParagraphs: ["To install the script for bash: anyscheme completion bash >>~/.bashrc"],
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
  readonly "news-server"?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly progress?: boolean;
  readonly strict?: boolean;
  readonly "wrapped-only"?: boolean;
  readonly "allow-port"?: readonly string[];
  readonly "file-root"?: string;
  readonly type?: string;
  readonly email?: string;
  readonly "ftp-method"?: string;
  readonly tls?: string;
  readonly cacert?: string;
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
  /** The name of the option's value in the help. An option without a value is a flag. */
  readonly valueName?: string;
  /** True when the option may be given more than once. */
  readonly isRepeatable?: true;
  /** True when `--no-<name>` is an option too. */
  readonly isNegatable?: true;
  /** The commands that have the option. Default: all. */
  readonly commands?: readonly CommandName[];
  readonly description: string;
}

const REQUESTS: readonly CommandName[] = ["get", "ls", "form", "open"];
const URL_READERS: readonly CommandName[] = ["get", "ls", "parse", "plan"];
const LIMITED: readonly CommandName[] = ["get", "ls"];
const SEARCHES: readonly CommandName[] = ["extract", "lint"];

export const OPTIONS: readonly OptionDefinition[] = [
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
    description: "write to a file in the current folder, named as the last part of the URL",
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
    description: "login for URLs without one; without PASSWORD, the terminal asks for it",
  },
  { name: "silent", shortName: "s", description: "write no messages to standard error" },
  {
    name: "color",
    valueName: "auto|always|never",
    commands: ["ls"],
    description: "colour listings; default: on a terminal, unless NO_COLOR is set",
  },
  {
    name: "gateway",
    valueName: "SCHEME=TEMPLATE[,WHEN]",
    isRepeatable: true,
    commands: [...REQUESTS, "plan", "gateway"],
    description:
      "use a gateway for a scheme, as in wais=http://gw.example/?url={url}; WHEN is always, unavailable (when the server is) or unregistered (when the scheme is)",
  },
  { name: "json", commands: [...URL_READERS, ...SEARCHES, "schemes"], description: "write JSON" },
  {
    name: "news-server",
    valueName: "HOST[:PORT]",
    isRepeatable: true,
    commands: [...REQUESTS, "plan", "gateway"],
    description: "read news from this server; repeat the option for further servers to try",
  },
  {
    name: "verbose",
    shortName: "v",
    commands: REQUESTS,
    description: "trace the protocol on standard error: > sent, < received, * event",
  },
  {
    name: "progress",
    isNegatable: true,
    commands: ["get"],
    description: "show the progress; default: on a terminal",
  },
  {
    name: "strict",
    commands: [...URL_READERS, "form", "extract"],
    description: "reject URLs that deviate from the grammar of RFC 1738",
  },
  { name: "wrapped-only", commands: SEARCHES, description: "find URLs in <URL:…> only" },
  {
    name: "allow-port",
    valueName: "SCHEME:PORT",
    isRepeatable: true,
    commands: [...REQUESTS, "gateway"],
    description: "allow a port that the scheme refuses by default, as in gopher:7070",
  },
  {
    name: "file-root",
    valueName: "DIR",
    commands: REQUESTS,
    description: "root folder of file: URLs; default: the current folder",
  },
  {
    name: "type",
    valueName: "a|i|d",
    commands: ["get", "ls", "plan"],
    description:
      "FTP transfer type: a for text, i for binary, d for a list of names; default: that of the URL",
  },
  {
    name: "email",
    valueName: "ADDRESS",
    commands: ["get", "ls", "plan"],
    description: "password for anonymous FTP",
  },
  {
    name: "ftp-method",
    valueName: "METHOD",
    commands: ["get", "ls", "plan"],
    description:
      "how FTP changes to a directory: multicwd, singlecwd, absolute, or adaptive (the next of these when the server refuses one)",
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
    description: "trust the PEM certificates in FILE instead of the built-in ones",
  },
  {
    name: "continue-at",
    shortName: "C",
    valueName: "OFFSET",
    commands: ["get"],
    description: "resume the file of -o or -O at this byte; - is the end of the file",
  },
  {
    name: "max-time",
    shortName: "m",
    valueName: "SECONDS",
    commands: REQUESTS,
    description: "maximum time for each URL, including its body",
  },
  {
    name: "close-after",
    valueName: "SECONDS",
    commands: ["open"],
    description:
      "after the end of standard input, close the connection when the service has been silent for this time; 0 closes at once; default: 3",
  },
  ...LIMIT_OPTIONS.map(({ name, unit, clientLimit, description }) => ({
    name,
    valueName: unit,
    commands: clientLimit === undefined ? (["get"] as const) : LIMITED,
    description: `${description}; none removes the limit`,
  })),
  {
    name: "port",
    valueName: "PORT",
    commands: ["gateway"],
    description: "listen at this port; 0 is any free port; default: 8070",
  },
  { name: "help", shortName: "h", description: "show help; --help COMMAND and --help exit show more" },
  { name: "version", shortName: "V", description: "show the version" },
];
