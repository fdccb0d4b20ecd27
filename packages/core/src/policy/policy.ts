import { checkOptions } from "../options/check-options.ts";
import {
  type OptionKind,
  type OptionTable,
  createArrayOptionKind,
  booleanOptionKind,
  callbackOptionKind,
  createDuckTypeOptionKind,
  createOptionsOptionKind,
  portOptionKind,
  createRecordOptionKind,
  stringOptionKind,
  createEitherOptionKind,
} from "../options/option-kinds.ts";
import {
  type AllowedAddressBlock,
  type AddressMatcher,
  createAddressMatcher,
  type HostNameMatcher,
  createHostNameMatcher,
} from "./allowed-addresses.ts";

/** The argument of `confirmPort`: a scheme, a host, and a port that is refused unless the caller confirms it. */
export interface PortConfirmationRequest {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
}

export interface PolicyOptions {
  /**
   * Additional allowed ports by scheme name, as in `{ gopher: [7070] }`. Port 0 and ports above 65535 are always
   * refused.
   */
  readonly allowPorts?: Readonly<Record<string, readonly number[]>> | undefined;
  /**
   * Called before a connection to a port from 1024 on that is neither the scheme's default nor in `allowPorts`, for
   * schemes whose client sends first. Only the return value `true` of `confirmPort` allows the port. `confirmPort` is
   * not called for a port of another protocol, nor with `strictPorts`.
   */
  readonly confirmPort?: ((request: PortConfirmationRequest) => boolean | Promise<boolean>) | undefined;
  /** True to refuse every port except the scheme's default and `allowPorts`. Default false. */
  readonly strictPorts?: boolean | undefined;
  /**
   * Allows addresses that are not public, as in `["10.1.0.0/16", { cidr: "127.0.0.1", scheme: "http", port: 8080 }]`.
   * The port rule also applies to the allowed addresses. Default: none.
   */
  readonly allowAddresses?: readonly (string | AllowedAddressBlock)[] | undefined;
  /**
   * Allows host names that are not public, as in `["intranet", "*.corp.example"]`. The address rule also applies to the
   * addresses of allowed names. Default: none.
   */
  readonly allowNames?: readonly string[] | undefined;
  /**
   * True to allow a proxy with `resolveBy: "proxy"`, which resolves host names itself. The guard cannot check the
   * addresses of names that a proxy resolves. `allowProxyResolution` is false by default for `publicInternet()`, and
   * true for `anyAddress()`.
   */
  readonly allowProxyResolution?: boolean | undefined;
  /**
   * Allows redirects from one scheme to other schemes, as in `{ http: ["ftp"] }`. Each scheme declares the redirects
   * that are always allowed, for example http to https. Redirects to file URLs are never allowed.
   */
  readonly allowSchemeRedirects?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * The guard's rules for connections and redirects. A policy is created by {@link publicInternet} or {@link anyAddress}.
 */
export interface Policy {
  readonly name: string;
  /** `"public"`: the policy allows only public unicast addresses and full domain names. */
  readonly addressScope: "public" | "any";
  readonly allowPorts: ReadonlyMap<string, ReadonlySet<number>>;
  readonly confirmPort: ((request: PortConfirmationRequest) => boolean | Promise<boolean>) | undefined;
  readonly strictPorts: boolean;
  readonly allowAddresses: readonly AddressMatcher[];
  readonly allowNames: readonly HostNameMatcher[];
  /** True when a proxy may resolve host names. */
  readonly allowProxyResolution: boolean;
  readonly allowSchemeRedirects: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * The policy for URLs and addresses that a server sends, for example in a redirect. The policy itself, and not
   * `redirectPolicy`, applies to redirects from one private address to another.
   */
  readonly redirectPolicy: Policy | undefined;
}

export const policyOptionKind: OptionKind = createDuckTypeOptionKind(
  "a policy, such as the return value of publicInternet()",
  {
    addressScope: "string",
    allowPorts: "object",
    allowAddresses: "object",
    allowNames: "object",
    allowSchemeRedirects: "object",
  },
);

const allowedAddressOptionKind = createEitherOptionKind(
  stringOptionKind,
  createOptionsOptionKind(
    { cidr: stringOptionKind, host: stringOptionKind, scheme: stringOptionKind, port: portOptionKind },
    "{ cidr, host?, scheme?, port? }",
  ),
);

const POLICY_OPTION_KINDS: OptionTable<PolicyOptions> = {
  allowPorts: createRecordOptionKind(
    createArrayOptionKind(portOptionKind, "ports from 1 to 65535"),
    "an object with ports by scheme, such as { http: [3000] }",
  ),
  confirmPort: callbackOptionKind,
  strictPorts: booleanOptionKind,
  allowAddresses: createArrayOptionKind(allowedAddressOptionKind, 'address blocks, such as "10.1.0.0/16"'),
  allowNames: createArrayOptionKind(stringOptionKind, 'names, as ["intranet.example"]'),
  allowProxyResolution: booleanOptionKind,
  allowSchemeRedirects: createRecordOptionKind(
    createArrayOptionKind(stringOptionKind, 'schemes, as ["ftp"]'),
    'an object with target schemes by scheme, such as { http: ["ftp"] }',
  ),
};

/**
 * Returns a policy that allows public addresses only. The default policy, for untrusted URLs. Throws `TypeError` for an
 * invalid option.
 */
export function publicInternet(options: PolicyOptions = {}): Policy {
  checkOptions("publicInternet", options, POLICY_OPTION_KINDS);
  return createPolicy("publicInternet", "public", options, undefined);
}

/**
 * Returns a policy that allows any address and any name, for trusted URLs. This policy has rules for ports and
 * redirects, and refuses only invalid host names. `redirectPolicy` applies to URLs and addresses that a server sends.
 */
export function anyAddress(
  options: PolicyOptions & { readonly redirectPolicy?: Policy | undefined } = {},
): Policy {
  checkOptions("anyAddress", options, { ...POLICY_OPTION_KINDS, redirectPolicy: policyOptionKind });
  return createPolicy("anyAddress", "any", options, options.redirectPolicy);
}

function createPolicy(
  name: string,
  addressScope: Policy["addressScope"],
  options: PolicyOptions,
  redirectPolicy: Policy | undefined,
): Policy {
  return Object.freeze({
    name,
    addressScope,
    allowPorts: createSchemeSets(options.allowPorts),
    confirmPort: options.confirmPort,
    strictPorts: options.strictPorts === true,
    allowAddresses: (options.allowAddresses ?? []).map(createAddressMatcher),
    allowNames: (options.allowNames ?? []).map(createHostNameMatcher),
    allowProxyResolution: options.allowProxyResolution ?? addressScope === "any",
    allowSchemeRedirects: createRedirectSets(options.allowSchemeRedirects),
    redirectPolicy,
  });
}

/** Converts an object with arrays by scheme name to a map of sets. Scheme names become lower case. */
function createSchemeSets<T>(
  record: Readonly<Record<string, readonly T[]>> = {},
): Map<string, ReadonlySet<T>> {
  return new Map(Object.entries(record).map(([scheme, items]) => [scheme.toLowerCase(), new Set(items)]));
}

function createRedirectSets(
  record: PolicyOptions["allowSchemeRedirects"] = {},
): Map<string, ReadonlySet<string>> {
  const invalid = [...Object.keys(record), ...Object.values(record).flat()].find(
    (scheme) => !/^[a-z0-9+.-]+$/i.test(scheme),
  );
  if (invalid !== undefined) throw new TypeError(`allowSchemeRedirects: "${invalid}" is not a scheme name`);
  const targets = Object.entries(record).map(
    ([from, to]) => [from, to.map((scheme) => scheme.toLowerCase())] as const,
  );
  return createSchemeSets(Object.fromEntries(targets));
}
