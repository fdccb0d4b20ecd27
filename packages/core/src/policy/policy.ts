import { checkOptions } from "../options/check-options.ts";
import * as kind from "../options/option-kinds.ts";
import {
  type AllowedAddress,
  type AddressRule,
  addressRule,
  type NameRule,
  nameRule,
} from "./allowed-addresses.ts";

/** What `onPort` is asked: may this scheme speak to this port, where the rules alone would refuse it? */
export interface PortRequest {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
}

export interface PolicyOptions {
  /** Further ports by scheme name, as in `{ gopher: [7070] }`. Port 0 and ports above 65535 are refused all the same. */
  readonly allowPorts?: Readonly<Record<string, readonly number[]>> | undefined;
  /** Asked before a client-speaks-first scheme uses a port from 1024 on; only exactly `true` allows it. */
  readonly confirmPort?: ((question: PortRequest) => boolean | Promise<boolean>) | undefined;
  /** Whether every port but the scheme's default and `allowPorts` is refused. Default false. */
  readonly strictPorts?: boolean | undefined;
  /**
   * Addresses that may be reached although they are not public, as in `["10.1.0.0/16", { cidr: "127.0.0.1", scheme: "http",
   * port: 8080 }]`. The port rule stays. Default: none.
   */
  readonly allowAddresses?: readonly (string | AllowedAddress)[] | undefined;
  /**
   * Names that may be looked up although they are not public, as in `["intranet", "*.corp.example"]`. Their addresses have to
   * pass the address rule all the same. Default: none.
   */
  readonly allowNames?: readonly string[] | undefined;
  /**
   * Hops to other schemes that are allowed, as in `"http→ftp"` or `"http->ftp"`. From http to http and https, and from prospero to
   * prospero, ftp, gopher, wais and telnet, they always are; to file never.
   */
  readonly allowSchemeRedirects?: readonly string[] | undefined;
}

/** The guard's rules: what may be reached. Made by {@link publicInternet} or {@link anyAddress}. */
export interface Policy {
  readonly name: string;
  /** `"public"`: public unicast addresses and full domain names only. */
  readonly addressScope: "public" | "any";
  readonly allowPorts: ReadonlyMap<string, ReadonlySet<number>>;
  readonly confirmPort: ((question: PortRequest) => boolean | Promise<boolean>) | undefined;
  readonly strictPorts: boolean;
  readonly allowAddresses: readonly AddressRule[];
  readonly allowNames: readonly NameRule[];
  readonly allowSchemeRedirects: ReadonlySet<string>;
  /** The policy of everything reached from the first URL. A hop from one private address to another stays under this one. */
  readonly redirectPolicy: Policy | undefined;
}

/** What an option that takes a policy accepts. */
export const policyKind: kind.OptionKind = kind.objectWith(
  "a policy, as publicInternet() or anyAddress() makes one",
  {
    addressScope: "string",
    allowPorts: "object",
    allowAddresses: "object",
    allowNames: "object",
    allowSchemeRedirects: "object",
  },
);

const exception = kind.either(
  kind.string,
  kind.options({ cidr: kind.string, scheme: kind.string, port: kind.port }, "{ cidr, scheme?, port? }"),
);

const OPTIONS: kind.OptionTable<PolicyOptions> = {
  allowPorts: kind.recordOf(
    kind.arrayOf(kind.port, "ports from 1 to 65535"),
    "ports by scheme, as { http: [3000] }",
  ),
  confirmPort: kind.callback,
  strictPorts: kind.boolean,
  allowAddresses: kind.arrayOf(exception, 'blocks of addresses, as ["10.1.0.0/16"]'),
  allowNames: kind.arrayOf(kind.string, 'names, as ["intranet.example"]'),
  allowSchemeRedirects: kind.arrayOf(kind.string, 'edges, as ["http→ftp"]'),
};

/** The default policy: public addresses only. For URLs that strangers hand you. Throws `TypeError` for an option that is not valid. */
export function publicInternet(options: PolicyOptions = {}): Policy {
  checkOptions("publicInternet", options, OPTIONS);
  return makePolicy("publicInternet", "public", options, undefined);
}

/**
 * Any address and any name; every other rule stays. For URLs that you chose yourself. With `onward`, what those URLs lead to
 * is under another policy.
 */
export function anyAddress(
  options: PolicyOptions & { readonly redirectPolicy?: Policy | undefined } = {},
): Policy {
  checkOptions("anyAddress", options, { ...OPTIONS, redirectPolicy: policyKind });
  return makePolicy("anyAddress", "any", options, options.redirectPolicy);
}

function makePolicy(
  name: string,
  reach: Policy["addressScope"],
  options: PolicyOptions,
  onward: Policy | undefined,
): Policy {
  const allowPorts = new Map<string, ReadonlySet<number>>();
  for (const [scheme, ports] of Object.entries(options.allowPorts ?? {})) {
    allowPorts.set(scheme.toLowerCase(), new Set(ports));
  }
  const edges = (options.allowSchemeRedirects ?? []).map((edge) => edge.replace("->", "→").toLowerCase());
  const odd = edges.find((edge) => !/^[a-z0-9+.-]+→[a-z0-9+.-]+$/.test(edge));
  if (odd !== undefined)
    throw new TypeError(`"${odd}" is no edge from one scheme to another, as in "http→ftp"`);
  return Object.freeze({
    name,
    addressScope: reach,
    allowPorts,
    confirmPort: options.confirmPort,
    strictPorts: options.strictPorts === true,
    allowAddresses: (options.allowAddresses ?? []).map(addressRule),
    allowNames: (options.allowNames ?? []).map(nameRule),
    allowSchemeRedirects: new Set(edges),
    redirectPolicy: onward,
  });
}
