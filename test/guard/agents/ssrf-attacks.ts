/** The public IP address of the SSRF test. Port 80 of the public address leads to the server of the test. */
export const PUBLIC_ADDRESS = "93.184.216.34";

/** The IP addresses that successive DNS lookups of a name return. Later lookups return the last addresses again. */
type Answers = readonly (readonly string[])[];

/** A request to a forbidden address or port. */
export interface SsrfAttack {
  /** The way in which the attacking URL leads to the forbidden address or port. */
  readonly group: string;
  readonly targetDescription: string;
  /** The URLs that one HTTP agent requests in turn. */
  readonly urls: readonly string[];
  /** The addresses that the operating system's resolver returns, by host name. */
  readonly dnsAnswersByName?: Readonly<Record<string, Answers>>;
  /** True when a client of `node:http` receives the host without a URL parser. */
  readonly isRawHost?: boolean;
  /** The environment variables that are set during the request, such as those of a proxy. */
  readonly environment?: Readonly<Record<string, string>>;
}

const fromUrls = (
  group: string,
  rows: readonly (readonly [targetDescription: string, url: string])[],
): SsrfAttack[] => rows.map(([targetDescription, url]) => ({ group, targetDescription, urls: [url] }));

const LITERALS = fromUrls("IP address in the URL", [
  ["127.0.0.1", "http://127.0.0.1/"],
  ["127.0.0.1 with https", "https://127.0.0.1/"],
  ["the end of 127.0.0.0/8", "http://127.255.255.254/"],
  ["127.0.0.1 as one decimal number", "http://2130706433/"],
  ["127.0.0.1 as one hexadecimal number", "http://0x7f000001/"],
  ["127.0.0.1 as one octal number", "http://017700000001/"],
  ["127.0.0.1 with octal parts", "http://0177.0.0.01/"],
  ["127.0.0.1 in short form", "http://127.1/"],
  ["127.0.0.1 with a final dot", "http://127.0.0.1./"],
  ["127.0.0.1 with other digits", "http://①②⑦.⓪.⓪.①/"],
  ["0.0.0.0", "http://0.0.0.0/"],
  ["0.0.0.0 in short form", "http://0/"],
  ["another address of 0.0.0.0/8", "http://0.1.2.3/"],
  ["10.0.0.0/8", "http://10.0.0.1/"],
  ["172.16.0.0/12", "http://172.31.255.1/"],
  ["192.168.0.0/16", "http://192.168.1.1/"],
  ["carrier-grade NAT", "http://100.64.0.1/"],
  ["link-local", "http://169.254.1.1/"],
  ["IETF protocol assignments", "http://192.0.0.8/"],
  ["documentation", "http://192.0.2.1/"],
  ["6to4 relay anycast", "http://192.88.99.1/"],
  ["benchmarking", "http://198.18.0.1/"],
  ["multicast", "http://224.0.0.1/"],
  ["reserved", "http://240.0.0.1/"],
  ["broadcast", "http://255.255.255.255/"],
  ["::1", "http://[::1]/"],
  ["::", "http://[::]/"],
  ["IPv4-mapped 127.0.0.1", "http://[::ffff:127.0.0.1]/"],
  ["IPv4-mapped 10.0.0.1 in hexadecimal", "http://[::ffff:a00:1]/"],
  ["IPv4-compatible 127.0.0.1", "http://[::127.0.0.1]/"],
  ["IPv4-translated 127.0.0.1", "http://[::ffff:0:127.0.0.1]/"],
  ["NAT64 of 127.0.0.1", "http://[64:ff9b::127.0.0.1]/"],
  ["local NAT64", "http://[64:ff9b:1::a00:1]/"],
  ["6to4 of 10.0.0.1", "http://[2002:a00:1::1]/"],
  ["Teredo", "http://[2001:0:7f00:1::1]/"],
  ["unique local", "http://[fd12:3456::1]/"],
  ["link-local IPv6", "http://[fe80::1]/"],
  ["site-local IPv6", "http://[fec0::1]/"],
  ["multicast IPv6", "http://[ff02::1]/"],
  ["discard-only IPv6", "http://[100::1]/"],
  ["documentation IPv6", "http://[2001:db8::1]/"],
  ["newer documentation IPv6", "http://[3fff::1]/"],
  ["benchmarking IPv6", "http://[2001:2::1]/"],
  ["ORCHIDv2", "http://[2001:20::1]/"],
  ["segment routing", "http://[5f00::1]/"],
  ["returned 6bone addresses", "http://[3ffe::1]/"],
  ["unallocated IPv6", "http://[4000::1]/"],
  ["IPv6 with a zone", "http://[fe80::1%25lo]/"],
]);

const CLOUD = fromUrls("service of a cloud platform", [
  ["metadata of AWS, Azure, Google Cloud", "http://169.254.169.254/latest/meta-data/"],
  ["metadata address as a decimal number", "http://2852039166/"],
  ["metadata address, IPv4-mapped", "http://[::ffff:169.254.169.254]/"],
  ["credentials of AWS ECS", "http://169.254.170.2/"],
  ["metadata of AWS, IPv6", "http://[fd00:ec2::254]/"],
  ["metadata of Google Cloud, IPv6", "http://[fd20:ce::254]/"],
  ["platform service of Azure", "http://168.63.129.16/machine"],
  ["metadata of Alibaba Cloud", "http://100.100.100.200/"],
  ["metadata of Oracle Cloud Classic", "http://192.0.0.192/"],
]);

const PORTS = fromUrls("port of another protocol", [
  ["ssh", `http://${PUBLIC_ADDRESS}:22/`],
  ["smtp", `http://${PUBLIC_ADDRESS}:25/`],
  ["SMB", `http://${PUBLIC_ADDRESS}:445/`],
  ["IPP", `http://${PUBLIC_ADDRESS}:631/`],
  ["rsync", `http://${PUBLIC_ADDRESS}:873/`],
  ["IRC", `http://${PUBLIC_ADDRESS}:6667/`],
]);

const named = (targetDescription: string, host: string, ...answers: (readonly string[])[]): SsrfAttack => ({
  group: "DNS name",
  targetDescription,
  urls: [`http://${host}/`],
  dnsAnswersByName: { [host.replace(/:\d+$/, "")]: answers },
});

const NAMES: readonly SsrfAttack[] = [
  named("localhost", "localhost", ["127.0.0.1"]),
  named("localhost with a final dot", "localhost.", ["127.0.0.1"]),
  named("a name below localhost", "app.localhost", ["127.0.0.1"]),
  named("a single label", "intranet", ["10.1.2.3"]),
  named("a name of .internal", "metadata.google.internal", ["169.254.169.254"]),
  named("a public name with 127.0.0.1", "localtest.example", ["127.0.0.1"]),
  named("an address within a name", "10.0.0.1.nip.example", ["10.0.0.1"]),
  named("a public name with ::1", "six.example", ["::1"]),
  named("a public name with a mapped address", "mapped.example", ["::ffff:127.0.0.1"]),
  named("a public name with Azure's platform service", "azure.example", ["168.63.129.16"]),
  named("a public name with 6to4", "sixtofour.example", ["2002:7f00:1::1"]),
  named("an answer with a zone", "zone.example", ["fe80::1%lo"]),
  named("a public and then a private address", "mixed.example", [PUBLIC_ADDRESS, "10.0.0.1"]),
  named("a private and then a public address", "mixed.example", ["10.0.0.1", PUBLIC_ADDRESS]),
  {
    group: "rebinding",
    targetDescription: "the second look-up has a private address",
    urls: ["http://rebinding.example/close", "http://rebinding.example/"],
    dnsAnswersByName: { "rebinding.example": [[PUBLIC_ADDRESS], ["127.0.0.1"]] },
  },
  {
    group: "rebinding",
    targetDescription: "each look-up alternates",
    urls: Array.from({ length: 4 }, () => "http://rebinding.example/close"),
    dnsAnswersByName: {
      "rebinding.example": [[PUBLIC_ADDRESS], ["10.0.0.1"], [PUBLIC_ADDRESS], ["10.0.0.1"]],
    },
  },
  {
    group: "kept connection",
    targetDescription: "another name with a private address",
    urls: ["http://www.example/", "http://private.example/"],
    dnsAnswersByName: { "www.example": [[PUBLIC_ADDRESS]], "private.example": [["10.0.0.1"]] },
  },
  {
    group: "proxy of the environment",
    targetDescription: "a proxy with a private address",
    urls: ["http://www.example/"],
    dnsAnswersByName: { "www.example": [[PUBLIC_ADDRESS]] },
    environment: { http_proxy: "http://10.0.0.1:3128" },
  },
];

/** Hosts that `getaddrinfo` reads as 127.0.0.1. */
const RAW_HOSTS = ["127.1", "2130706433", "0x7f000001", "0177.0.0.1"].map((host): SsrfAttack => ({
  group: "host without a URL parser",
  targetDescription: host,
  urls: [`http://${host}/`],
  dnsAnswersByName: { [host]: [["127.0.0.1"]] },
  isRawHost: true,
}));

const REDIRECTS: readonly SsrfAttack[] = [
  ...LITERALS.filter(({ targetDescription }) =>
    /^(?:127\.0\.0\.1(?! with other)|::1|10\.0\.0|carrier|IPv4-m|NAT64 of)/.test(targetDescription),
  ),
  ...CLOUD.slice(0, 1),
  ...CLOUD.filter(({ targetDescription }) => targetDescription === "platform service of Azure"),
  ...PORTS.slice(2, 3),
  named("a public name with 127.0.0.1", "localtest.example", ["127.0.0.1"]),
].map(({ targetDescription, urls, dnsAnswersByName }): SsrfAttack => ({
  group: "redirect",
  targetDescription,
  urls: urls.map((url) => `http://www.example/to?${encodeURIComponent(url)}`),
  dnsAnswersByName: { "www.example": [[PUBLIC_ADDRESS]], ...dnsAnswersByName },
}));

export const SSRF_ATTACKS: readonly SsrfAttack[] = [
  ...LITERALS,
  ...CLOUD,
  ...PORTS,
  ...NAMES,
  ...RAW_HOSTS,
  ...REDIRECTS,
];
