import { SECRET_PASSWORD } from "./outbound-recording-gateway.ts";

/** A URL, and the status of the response to every kind of request for the URL. */
export type UrlWithExpectedStatus = readonly [url: string, status: number];

/** URLs with unusual or invalid hosts, and the status of their responses. */
export const ODD_URL_HOST_CASES: readonly UrlWithExpectedStatus[] = [
  // Hosts that are numbers, which some parsers interpret as an IP address.
  ["http://0177.0.0.1/", 400],
  ["http://127.0.0.1./", 400],
  ["http://127.00.0.1/", 400],
  ["http://0/", 400],
  ["http://0x7f.0x0.0x0.0x1/", 400],
  ["http://[::1%25lo]/", 400],
  ["http://[::127.1]/", 400],
  ["http://::1/", 400],
  ["http://[127.0.0.1]/", 400],
  // Escapes.
  ["http://%31%32%37.0.0.1/", 400],
  ["http://loc%61lhost/", 400],
  ["http://127%2e0%2e0%2e1/", 400],
  ["http://h.example%2f.127.0.0.1/", 400],
  ["http://h.example%00.127.0.0.1/", 400],
  ["ftp://h.example%40127.0.0.1/", 400],
  ["http%3A%2F%2F127.0.0.1%2F", 400],
  // Characters beyond US-ASCII.
  ["http://127.0.0.1\u200b/", 400],
  ["http://１２７.0.0.1/", 400],
  ["http://lo\u00adcalhost/", 400],
  ["http://localhos\u1e97/", 403],
  ["http://ⓛocalhost/", 400],
  ["http://127\u30020.0.1/", 400],
  // URLs with an "@" in an unexpected place, so that URL parsers disagree about the host.
  ["http://h.example@127.0.0.1/", 403],
  ["http://h.example:80@127.0.0.1/", 403],
  ["http://h.example%2f@127.0.0.1/", 403],
  ["http://127.0.0.1?@h.example/", 400],
  ["http://127.0.0.1\\@h.example/", 400],
  ["http://h.example\\@127.0.0.1/", 400],
  ["ftp://h.example@127.0.0.1/", 403],
  ["ftp://u@h.example@127.0.0.1/", 400],
  ["ftp://127.0.0.1?@h.example/", 400],
  ["telnet://u:p@127.0.0.1/", 403],
  ["http://127.0.0.1#@h.example/", 403],
  // URLs with backslashes, or with too many or too few slashes.
  ["http:\\\\127.0.0.1\\", 400],
  ["http:/\\127.0.0.1/", 400],
  ["http:///127.0.0.1/", 400],
  ["http:127.0.0.1", 400],
  ["//127.0.0.1/", 400],
  ["\\\\127.0.0.1\\c$", 400],
  // URLs with upper case, white space, or characters that some parsers remove.
  ["HTTP://127.0.0.1/", 403],
  ["hTtP://LOCALHOST/", 403],
  ["  http://127.0.0.1/  ", 403],
  ["\t\r\nhttp://127.0.0.1/\0", 400],
  ["\ufeffhttp://127.0.0.1/", 403],
  ["ht\ttp://127.0.0.1/", 400],
  ["http:\n//127.0.0.1/", 400],
  ["http://127.0.\r0.1/", 400],
  ["<URL:http://127.0.0.1/>", 400],
  ["URL:http://127.0.0.1/", 400],
  ["http://", 400],
  ["", 400],
];

/** The URLs have a user name or a password. No response contains the URL or the password. */
export const CREDENTIALS_IN_URL_CASES: readonly UrlWithExpectedStatus[] = [
  [`ftp://u:${SECRET_PASSWORD}@h.example/`, 403],
  [`FTP://u:${SECRET_PASSWORD}@127.0.0.1:25/`, 403],
  [`ftp://:${SECRET_PASSWORD}@h.example/`, 403],
  [`ftp://${SECRET_PASSWORD}@h.example/`, 403],
  [`ftp://u:${SECRET_PASSWORD}%0D%0A@h.example/`, 403],
  [`ftp://u:${SECRET_PASSWORD}@h.example/;type=x`, 400],
  [`telnet://u:${SECRET_PASSWORD}@h.example/`, 403],
  ...["http", "https"].map((scheme): UrlWithExpectedStatus => [
    `${scheme}://u:${SECRET_PASSWORD}@h.example/a`,
    403,
  ]),
  ...["gopher", "nntp", "prospero", "wais"].map((scheme): UrlWithExpectedStatus => [
    `${scheme}://u:${SECRET_PASSWORD}@h.example/a`,
    400,
  ]),
  // Invalid URLs.
  [`ftp://u:${SECRET_PASSWORD}@h example/`, 400],
  [`ftp://u:${SECRET_PASSWORD}@h.example:99999/`, 400],
  [`ftp://u:${SECRET_PASSWORD}@[::1/`, 400],
  [`ftp://u:${SECRET_PASSWORD}@@h.example/`, 400],
  [`ftp:/u:${SECRET_PASSWORD}@h.example/`, 400],
  [`ftp//u:${SECRET_PASSWORD}@h.example/`, 400],
  [`//u:${SECRET_PASSWORD}@h.example/`, 400],
  [`<URL:ftp://u:${SECRET_PASSWORD}@h.example/>`, 400],
  // URLs with an unknown scheme, such as the scheme "u" in `u:password@host`.
  [`sftp://u:${SECRET_PASSWORD}@h.example/`, 403],
  [`sftp://u:${SECRET_PASSWORD}@h%20x/`, 400],
  [`sftp://u:a/${SECRET_PASSWORD}@h.example/`, 400],
  [`x-opaque:u:${SECRET_PASSWORD}@h.example`, 403],
  [`u:${SECRET_PASSWORD}@h.example`, 403],
];

/**
 * URLs with a scheme that the gateway does not support: local files, schemes of browsers, other protocols, and
 * unknown schemes.
 */
export const UNSUPPORTED_SCHEME_CASES: readonly UrlWithExpectedStatus[] = [
  ["file:///etc/passwd", 404],
  ["FILE:///etc/passwd", 404],
  ["file://localhost/etc/passwd", 404],
  ["file://127.0.0.1/etc/passwd", 404],
  ["file:/etc/passwd", 404],
  ["file:etc/passwd", 404],
  ["file:////etc/passwd", 404],
  ["local-file:///etc/passwd", 404],
  ["javascript:alert(1)", 404],
  ["JaVaScRiPt:alert(1)", 404],
  ["javascript://h.example/%0aalert(1)", 404],
  ["java\tscript:alert(1)", 400],
  ["\u0001javascript:alert(1)", 400],
  ["data:text/html,%3Cscript%3Ealert(1)%3C/script%3E", 404],
  ["data:text/html,<script>alert(1)</script>", 404],
  ["vbscript:msgbox(1)", 404],
  ["view-source:http://127.0.0.1/", 404],
  ["jar:http://127.0.0.1/!/a", 404],
  ["about:blank", 404],
  ["dict://127.0.0.1:11211/stats", 404],

  ["ldap://127.0.0.1/", 404],
  ["sftp://127.0.0.1/", 404],
  ["toString:x", 404],
  ["__proto__:x", 400],
  ["constructor://h.example/", 404],
  ["..://http/127.0.0.1/", 404],
  [".://http/127.0.0.1/", 404],
  ["-://h.example/", 404],
  ["~raw://h.example/", 400],
  ["://h.example/", 400],
];

/** Texts with markup or control characters that the gateway must escape. */
export const URL_MARKUP_INJECTION_CASES: readonly UrlWithExpectedStatus[] = [
  ...[
    "<script>alert(1)</script>",
    '"><script>alert(1)</script>',
    "'onmouseover='alert(1)",
    "\u001b[2J",
    "\u202egpj.exe",
  ].flatMap((text): UrlWithExpectedStatus[] => [
    [text, 400],
    [`http://${text}/`, 400],
    [`http://h.example:${text}/`, 400],
    [`ftp://${text}@h.example/`, text.startsWith("'") || text.startsWith("\u202e") ? 403 : 400],
    [`${text}://h.example/`, 400],
  ]),
  ["x:%3Cscript%3Ealert(1)%3C/script%3E", 404],
  ["x://h.example/'onmouseover='alert(1)", 404],
  ["mailto:%3Cscript%3E@h.example", 400],
];

/** URLs of the server h.example, with the formatted URL if it differs from the text. */
export const ROUND_TRIP_CASES: readonly (readonly [url: string, formatted?: string])[] = [
  // URLs that change when they are decoded a second time.
  ["http://h.example/%252e%252e/%250D%250AX-Injected:%201"],
  ["http://h.example/%25252e"],
  ["http://h.example/%2500"],
  ["ftp://h.example/%252Fetc"],
  // URLs that change when a browser resolves them.
  ["http://h.example/../../http/127.0.0.1/"],
  ["http://h.example/%2e%2e/%2E%2E/http/127.0.0.1/"],
  ["ftp://h.example/.%2e/etc/passwd"],
  ["gopher://h.example/0..%5C..%5Cetc"],
  ["http://h.example//127.0.0.1/"],
  ["http://h.example/http://127.0.0.1/"],
  ["http://h.example/@127.0.0.1/"],
  ["http://h.example/?url=http://127.0.0.1/&q=%26x", "http://h.example/?url=http:%2F%2F127.0.0.1%2F&q=%26x"],
  ["http://h.example/?a+b%2B'c"],
  // URLs with markup or control characters that the gateway must escape.
  ["http://h.example/%3Cscript%3Ealert(1)%3C%2Fscript%3E?%22onmouseover=alert(1)"],
  ["ftp://h.example/%E2%80%AEgpj.exe"],
  ["http://h.example/\u202egpj.exe", "http://h.example/%E2%80%AEgpj.exe"],
  ["http://h.example/'%20onmouseover='alert(1)"],
  ["http://h.example/%C0%AE%C0%AE/%FF%FE"],
];
