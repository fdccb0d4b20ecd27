/** A location block of nginx.conf: the pattern of its paths, and its directives. */
export interface NginxLocation {
  readonly pattern: string;
  readonly directives: readonly string[];
}

/** A redirect: its path, its status, and the value of the Location field as an nginx string. */
type RedirectRow = readonly [path: string, status: number, target: string];

const redirectRows: readonly RedirectRow[] = [
  ["/r301", 301, "/hello.txt"],
  ["/r302", 302, "/hello.txt"],
  ["/r303", 303, "/hello.txt"],
  ["/r307", 307, "/hello.txt"],
  ["/r308", 308, "/hello.txt"],
  ["/rabs", 302, "http://$server_addr:$server_port/hello.txt"],
  ["/rloop", 302, "/rloop"],
  ["/rspace", 302, "/hello.txt?a b"],
  ["/rnoloc", 302, ""],
  // These redirects have targets that a client must check.
  ["/rfile", 302, "file:///etc/passwd"],
  ["/rftp", 302, "ftp://127.0.0.1:21/x"],
  ["/rgopher", 302, "gopher://127.0.0.1:6379/_INFO"],
];

const statusLocations: readonly NginxLocation[] = [
  { pattern: "= /s204", directives: ["return 204"] },
  { pattern: "= /s404", directives: [`return 404 "nothing here\\n"`] },
  { pattern: "= /s500", directives: ["return 500"] },
  // nginx closes the connection without a response for its own status 444.
  { pattern: "= /cut", directives: ["return 444"] },
];

/** An endless chain of redirects with growing paths: /rchain/1, /rchain/10, /rchain/100 … */
const endlessRedirectLocation: NginxLocation = {
  pattern: "~ ^/rchain/(?<step>\\d+)$",
  directives: ["return 302 /rchain/${step}0"],
};

const echoedHeaders = [
  "host=$http_host",
  "ua=$http_user_agent",
  "accept=$http_accept",
  "auth=$http_authorization",
  "ref=$http_referer",
  "uri=$request_uri",
  "v=$server_protocol",
].join("|");

const headerLocations: readonly NginxLocation[] = [
  { pattern: "= /headers", directives: ["default_type text/plain", `return 200 "${echoedHeaders}\\n"`] },
  { pattern: "= /bighdr", directives: [`add_header X-Big "${"x".repeat(4000)}"`, `return 200 "ok\\n"`] },
  {
    pattern: "= /latin",
    directives: ["charset iso-8859-1", "default_type text/plain", `return 200 "ok\\n"`],
  },
];

/** Returns nginx `location` blocks that send `text.txt` compressed and in chunks, and `big.bin` at 8 KiB per second. */
function listTransferLocations(root: string): NginxLocation[] {
  const text = ["default_type text/plain", `alias "${root}/text.txt"`];
  return [
    {
      pattern: "= /gz",
      directives: ["gzip on", "gzip_min_length 1", "gzip_types *", "gzip_comp_level 1", ...text],
    },
    // A sub_filter without matches removes the Content-Length, so nginx sends chunks in HTTP/1.1.
    {
      pattern: "= /chunked",
      directives: ["gzip off", "sub_filter zzzz zzzz", "sub_filter_types *", ...text],
    },
    { pattern: "= /slow", directives: ["limit_rate 8k", `alias "${root}/big.bin"`] },
  ];
}

/** Locations whose responses pause, by directives of nginx's echo module. */
const pausingLocations: readonly NginxLocation[] = [
  {
    pattern: "= /stall",
    directives: [`echo -n "first part "`, "echo_flush", "echo_sleep 30", `echo "second part"`],
  },
  { pattern: "= /late", directives: ["echo_sleep 3", `echo "after 3 s"`] },
  {
    pattern: "= /drip",
    directives: [
      "echo a",
      "echo_flush",
      "echo_sleep 0.3",
      "echo b",
      "echo_flush",
      "echo_sleep 0.3",
      "echo c",
    ],
  },
].map(({ pattern, directives }) => ({ pattern, directives: ["default_type text/plain", ...directives] }));

/**
 * Returns the `location` blocks of the nginx test server. For paths without a `location` block, nginx serves the files
 * below `root`.
 */
export function createNginxLocations(root: string, passwordFile: string): readonly NginxLocation[] {
  const auth: NginxLocation = {
    pattern: "= /auth",
    directives: [
      // nginx removes one level of escaping from the string and writes the other into the header field.
      `auth_basic "realm \\\\\\"q\\\\\\""`,
      `auth_basic_user_file "${passwordFile}"`,
      "default_type text/plain",
      `alias "${root}/hello.txt"`,
    ],
  };
  return [
    ...redirectRows.map(([path, status, target]) => ({
      pattern: `= ${path}`,
      directives: [`return ${status} "${target}"`],
    })),
    endlessRedirectLocation,
    ...statusLocations,
    ...headerLocations,
    ...listTransferLocations(root),
    ...pausingLocations,
    auth,
  ];
}
