/** The operands and the help text of one command. */
export interface CommandHelp<Name extends string = CommandName> {
  readonly name: Name;
  /** The operands as the help shows them, as in `URL`, or `[FILE…]` for any number of files. */
  readonly operandSyntax: string;
  readonly summary: string;
  /** The paragraphs that the help for this command shows below the summary. */
  readonly helpParagraphs: readonly string[];
}

const COMMAND_TABLE = [
  {
    name: "get",
    operandSyntax: "URL…",
    summary: "download URLs to standard output or to files",
    helpParagraphs: [
      "get guesses the scheme of a URL without a scheme, as in example.com/x or localhost:8080/x. The guess is ftp for a host name that begins with ftp., gopher for a host name that begins with gopher., and http otherwise. A line on standard error shows the guessed URL. get does not guess the scheme of a text with a login, as in joe@example.com.",
      "An IPv6 address may have a zone, as in 'http://[fe80::1%eth0]/': the name or number of the network interface for all link-local addresses (fe80::/10) of the command. No request contains the zone. --cache does not store the responses of such an address, and proxies and gateways cannot be used for it. Run one command for each zone.",
      "For a directory or a menu, get writes a listing, as ls does. get writes binary data to a terminal only with -o -.",
      "An output file gets its final name only when the download is complete. get compares the size of the file with the size that the server announced.",
      "With -I or -i, get writes the head of the last response after redirects; -v shows the heads of all responses. The response to an HTTP error is written too, and the exit code is 22.",
      "With --input-file, get downloads the URLs of a file too, after those of the command line. get reads the whole list first, and guesses no scheme in it. The URLs may refer to any address, as those of the command line.",
      "With --json, get writes one line of JSON for each resource, with status and headers for http. Then get downloads the body only with -o or -O.",
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
      "plan accepts the options of get for connections, limits and the cache, so that a command line can be repeated with plan instead of get. These options do not change the plan.",
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
    helpParagraphs: [
      "Each line has the scheme, its default port, and the package or the module of --scheme that implements it. A scheme without a default port shows '-'.",
      "To add a scheme, write an ES module (.mjs or .ts) whose default export is the scheme, and name it with --scheme FILE, or in the list schemes of the configuration file. The code of the module is executed. Its imports of @anyscheme/core use the copy of the command.",
    ],
  },
  {
    name: "gateway",
    operandSyntax: "",
    summary: "start a local web server and proxy that shows URLs of every scheme except file",
    helpParagraphs: [
      "The gateway listens at 127.0.0.1 until it is interrupted. The gateway connects to public servers only, and rejects URLs with a password.",
      "A browser or another program can use the gateway as its HTTP proxy, as in: curl -x localhost:8070 ftp://HOST/PATH. curl supports no HTTP proxy for gopher: URLs; request a path of the gateway instead, as in: curl localhost:8070/~raw/gopher/HOST/0/SELECTOR",
    ],
  },
  {
    name: "completion",
    operandSyntax: "bash|zsh|fish",
    summary: "print a completion script for a shell",
    helpParagraphs: ["To install the completion script for bash, run: anyscheme completion bash >>~/.bashrc"],
  },
] as const satisfies readonly CommandHelp<string>[];

export type CommandName = (typeof COMMAND_TABLE)[number]["name"];

export const COMMAND_HELP_ENTRIES: readonly CommandHelp[] = COMMAND_TABLE;
