import { LIMIT_OPTIONS, type LimitName } from "./limit-table.ts";

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

/** One command: how it is called and what it does. */
export interface CommandDefinition {
  readonly name: CommandName;
  readonly operands: string;
  /** The fewest and the most operands. */
  readonly operandCount: readonly [least: number, most: number];
  readonly summary: string;
  /** Paragraphs for its own help. */
  readonly notes: readonly string[];
}

export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: "get",
    operands: "URL…",
    operandCount: [1, Infinity],
    summary: "write what the URLs refer to to standard output, or to files",
    notes: [
      "A directory or menu is listed, as by ls. Bytes that hold NUL are not written to a terminal, unless -o - asks for it.",
      "A file appears under its name only when it is complete; the size and the end that the server announced are checked.",
      "With --json one line of JSON describes each resource. The body is then read only when -o or -O says where to.",
    ],
  },
  {
    name: "ls",
    operands: "URL",
    operandCount: [1, 1],
    summary: "list the directory or menu that the URL refers to",
    notes: [
      "An FTP URL without a type is taken for that of a directory, as with ;type=d. What is no directory is one line.",
      "The columns are kind, size in bytes, date (UTC) and name; '-' is what the server does not tell. A Gopher menu is drawn: what leads somewhere has a number and what it is, information has not.",
      "With --json there is one line of JSON for each entry.",
    ],
  },
  {
    name: "open",
    operands: "URL",
    operandCount: [1, 1],
    summary: "connect the terminal to a service, or hand an address to the mail program",
    notes: [
      "A telnet: URL suggests a login, which is shown and never sent. Ctrl-] leaves the service. What the service sends reaches the terminal as it is, as terminal programs want it. Where standard input or output is no terminal, the lines of the one go to the service, and what it sends to the other.",
      "After the end of standard input the connection stays open until the service has answered and been silent for the seconds of --close-after. The exit code is 0 only if the service has sent something.",
      "A mailto: URL goes to the program that the desktop has for it, with the header fields subject, body, to, cc, bcc, keywords and in-reply-to; other fields are left out.",
      "What is data is not opened; get writes it.",
    ],
  },
  {
    name: "form",
    operands: "URL",
    operandCount: [1, 1],
    summary:
      "ask the questions of a Gopher form or search at the terminal, send the answers, and write what comes back",
    notes: [
      "The form of an item is meant, whether or not its URL ends with the Gopher+ string ?. An empty answer leaves a question to what stands in brackets.",
    ],
  },
  {
    name: "parse",
    operands: "URL",
    operandCount: [1, 1],
    summary: "show the components of a URL, and where it departs from RFC 1738",
    notes: [
      "A component is shown as written; the decoded value stands beside it where it differs. A password is never shown.",
      "A text that is no URL is shown with a mark under the fault, the section of RFC 1738, and what to write instead.",
    ],
  },
  {
    name: "plan",
    operands: "URL",
    operandCount: [1, 1],
    summary: "show the steps that get would take; nothing is resolved or connected",
    notes: ["Each step has the section of the specification that asks for it. A password is never shown."],
  },
  {
    name: "extract",
    operands: "[FILE…]",
    operandCount: [0, Infinity],
    summary: "print every URL in the text of the files, or of standard input",
    notes: [
      "Found are URLs in <URL:…>, whose white space and line breaks are dropped, and bare URLs of the schemes that schemes lists, without the punctuation of the sentence. After a hyphen at a line end both readings are printed. Without FILE, or where FILE is -, standard input is read, in pieces and as it comes.",
      "A URL is printed as it was found, with its fragment and with any password that the text holds. On a terminal, characters that turn the direction of writing round are shown as \\u{202e}.",
      "With --json each line has file, url (as RFC 1738 writes it), text (as found, unfolded), fragment, index and length (in bytes, with the white space inside), line, column (in characters), wrapped, and alternative for the second reading of a hyphen.",
      "The exit code is 0 when a URL was found, and 1 when there was none.",
    ],
  },
  {
    name: "lint",
    operands: "[FILE…]",
    operandCount: [0, Infinity],
    summary: "show where the URLs in the text of the files depart from RFC 1738",
    notes: [
      "Finds what extract finds, and what stands in the place of a URL and is none. Each line is FILE:LINE:COLUMN: CODE: what is wrong (section); what to write instead. Columns count characters. A URL that is no URL at all has one line, for its first fault. Without FILE, or where FILE is -, standard input is read.",
      'With --json each line has file, line, column, index and length (in bytes), kind ("fault" or "deviation", which can be read all the same), code, section, message, suggestion, and the text of the URL, with its password masked.',
      "The exit code is 0 when there was nothing to show, and 1 when there was something.",
    ],
  },
  {
    name: "schemes",
    operands: "",
    operandCount: [0, 0],
    summary: "list the schemes, and which of them can only be read",
    notes: [],
  },
  {
    name: "gateway",
    operands: "",
    operandCount: [0, 0],
    summary: "show URLs of every scheme in web browsers of this machine",
    notes: [
      "Listens at 127.0.0.1 until it is interrupted. Only public servers are reached, and URLs with a password are not shown.",
      "A browser or a program may use it as its HTTP proxy, as in: curl -x localhost:8070 ftp://HOST/PATH. To curl, gopher has no HTTP proxy; ask for the path instead, as in: curl localhost:8070/~raw/gopher/HOST/0/SELECTOR",
    ],
  },
  {
    name: "completion",
    operands: "bash|zsh|fish",
    operandCount: [1, 1],
    summary: "write a script that completes command lines in a shell",
    notes: ["As in: anyscheme completion bash >>~/.bashrc"],
  },
];

/** The options as given, by name. */
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
  readonly wrapped?: boolean;
  readonly "allow-port"?: readonly string[];
  readonly "file-root"?: string;
  readonly type?: string;
  readonly email?: string;
  readonly strategy?: string;
  readonly tls?: string;
  readonly ca?: string;
  readonly "continue-at"?: string;
  readonly "max-time"?: string;
  readonly "close-after"?: string;
  readonly port?: string;
  readonly help?: boolean;
  readonly version?: boolean;
}

/** One option; its row makes the parser, the help, and the check which command it belongs to. */
export interface OptionDefinition {
  readonly name: keyof OptionValues;
  readonly short?: string;
  /** What its value is called; without one the option is a switch. */
  readonly value?: string;
  /** Whether it may be given again and again. */
  readonly multiple?: true;
  /** Whether `--no-<name>` means something. */
  readonly negatable?: true;
  /** The commands that it belongs to; without them, all. */
  readonly commands?: readonly CommandName[];
  readonly description: string;
}

const ACCESS: readonly CommandName[] = ["get", "ls", "form", "open"];
const READING: readonly CommandName[] = ["get", "ls", "parse", "plan"];
const LIMITED: readonly CommandName[] = ["get", "ls"];
const RECURSIVE: readonly CommandName[] = ["get"];
const SEARCHING: readonly CommandName[] = ["extract", "lint"];

export const OPTIONS: readonly OptionDefinition[] = [
  {
    name: "output",
    short: "o",
    value: "FILE",
    commands: ["get"],
    description: "write to FILE instead of standard output; - is standard output",
  },
  {
    name: "remote-name",
    short: "O",
    commands: ["get"],
    description: "write to a file of the URL's last name, in the current folder",
  },
  {
    name: "recursive",
    short: "r",
    commands: ["get"],
    description:
      "copy a whole directory, with what is below it, into a folder: that of -o, or one of its last name",
  },
  {
    name: "user",
    short: "u",
    value: "NAME[:PASSWORD]",
    commands: ["get", "ls", "form", "plan"],
    description:
      "log in with this name where a URL has none; without a password it is asked for on the terminal",
  },
  { name: "silent", short: "s", description: "say nothing on standard error" },
  {
    name: "color",
    value: "auto|always|never",
    commands: ["ls"],
    description: "colour listings; by default on a terminal, unless NO_COLOR is set",
  },
  {
    name: "gateway",
    value: "SCHEME=LOCATOR[,WHEN]",
    multiple: true,
    commands: [...ACCESS, "plan", "gateway"],
    description:
      "ask a gateway for URLs of the scheme, as in wais=http://gw.example/?url={url}; WHEN is always, unavailable (its own server is) or unregistered (the scheme is)",
  },
  { name: "json", commands: [...READING, ...SEARCHING, "schemes"], description: "write JSON" },
  {
    name: "news-server",
    value: "HOST[:PORT]",
    multiple: true,
    commands: [...ACCESS, "plan", "gateway"],
    description:
      "read news from this server, instead of those of the settings and of NNTPSERVER; given more than once, in this order",
  },
  {
    name: "verbose",
    short: "v",
    commands: ACCESS,
    description: "show on standard error what is sent and received",
  },
  {
    name: "progress",
    negatable: true,
    commands: ["get"],
    description: "show the progress; by default on a terminal only",
  },
  {
    name: "strict",
    commands: [...READING, "form", "extract"],
    description: "accept only what the grammar of RFC 1738 accepts",
  },
  { name: "wrapped", commands: SEARCHING, description: "look for URLs in <URL:…> only" },
  {
    name: "allow-port",
    value: "SCHEME:PORT",
    multiple: true,
    commands: [...ACCESS, "gateway"],
    description: "let the scheme use a port that is refused otherwise, as in gopher:7070",
  },
  {
    name: "file-root",
    value: "DIR",
    commands: ACCESS,
    description: "the folder that file: URLs are read from; default: the current folder",
  },
  {
    name: "type",
    value: "a|i|d",
    commands: ["get", "ls", "plan"],
    description: "the FTP transfer type, instead of what the URL says: text, as it is, or a list of names",
  },
  {
    name: "email",
    value: "ADDRESS",
    commands: ["get", "ls", "plan"],
    description: "the password for anonymous FTP",
  },
  {
    name: "strategy",
    value: "WALK",
    commands: ["get", "ls", "plan"],
    description:
      "how FTP changes to a directory: multicwd, singlecwd, absolute, or adaptive (the next of these when the server refuses)",
  },
  {
    name: "tls",
    value: "MODE",
    commands: ["get", "ls", "plan"],
    description:
      "TLS for FTP: explicit, implicit, or opportunistic, where the server offers it; default: none",
  },
  {
    name: "ca",
    value: "FILE",
    commands: ["get", "ls"],
    description: "the PEM certificates that are trusted, instead of the built-in ones",
  },
  {
    name: "continue-at",
    short: "C",
    value: "OFFSET",
    commands: ["get"],
    description:
      "go on with the file of -o or -O at this byte; - is where the file ends. The file is written in its place",
  },
  {
    name: "max-time",
    short: "m",
    value: "SECONDS",
    commands: ACCESS,
    description: "give each URL no more time than this, its body included",
  },
  {
    name: "close-after",
    value: "SECONDS",
    commands: ["open"],
    description:
      "once standard input has ended, close the connection when the service has been silent for this long; 0 closes at once; default: 3",
  },
  ...LIMIT_OPTIONS.map(({ name, unit, limit, description }) => ({
    name,
    value: unit,
    commands: limit === undefined ? RECURSIVE : LIMITED,
    description: `change this limit, or lift it with none: ${description}`,
  })),
  {
    name: "port",
    value: "PORT",
    commands: ["gateway"],
    description: "listen at this port; 0 for any free one; default: 8070",
  },
  { name: "help", short: "h", description: "show help; --help COMMAND and --help exit tell more" },
  { name: "version", short: "V", description: "show the version" },
];
