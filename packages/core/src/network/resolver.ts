import { lookup, Resolver as CaresResolver } from "node:dns/promises";
import { checkOptions } from "../options/check-options.ts";
import {
  createArrayOptionKind,
  createFunctionOptionKind,
  createIntegerOptionKind,
  type OptionKind,
  type OptionTable,
  stringOptionKind,
  positiveMillisecondsOptionKind,
} from "../options/option-kinds.ts";

/** Returns the IP addresses of a host name. Default: the system's resolver. */
export type Resolver = (name: string, options: { signal: AbortSignal }) => Promise<readonly string[]>;

/** Resolves a name with the resolver of the operating system. */
export const resolveNameBySystem: Resolver = async (name) => {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** The kind of the option `resolver`. The guard checks each answer of the resolver. */
export const resolverOptionKind: OptionKind = createFunctionOptionKind(
  'returns addresses, as async (host) => ["192.0.2.1"]',
);

export interface DnsResolverOptions {
  /** The DNS servers, as in `["192.0.2.53", "[2001:db8::53]:5353"]`. Default: the servers of the system. */
  readonly servers?: readonly string[] | undefined;
  /** The time that the resolver waits for one answer of one server, in milliseconds. Default 2 000. */
  readonly timeoutMs?: number | undefined;
  /** The number of queries to each DNS server for one name. Default 2. */
  readonly tries?: number | undefined;
}

const DNS_RESOLVER_OPTION_KINDS: OptionTable<DnsResolverOptions> = {
  servers: createArrayOptionKind(stringOptionKind, 'addresses of DNS servers, as ["192.0.2.53"]'),
  timeoutMs: positiveMillisecondsOptionKind,
  tries: createIntegerOptionKind(1, 10),
};

/**
 * Returns a resolver for the option `resolver` of clients and agents that sends DNS queries itself. An abort of the
 * lookup ends its DNS queries at once. The system's resolver, which is the default, runs each lookup in a thread of the
 * process. Names whose DNS servers do not answer occupy these threads until the system gives up, and all other lookups
 * wait. The returned resolver does not read `/etc/hosts` and does not use mDNS. Throws `TypeError` for an invalid
 * option.
 */
export function dnsResolver(options: DnsResolverOptions = {}): Resolver {
  checkOptions("dnsResolver", options, DNS_RESOLVER_OPTION_KINDS);
  const { servers, timeoutMs = 2_000, tries = 2 } = options;
  const createResolver = (): CaresResolver => {
    const resolver = new CaresResolver({ timeout: timeoutMs, tries });
    if (servers) resolver.setServers(servers);
    return resolver;
  };
  // An invalid server makes `dnsResolver` throw, and not the first request.
  createResolver();

  return async (name, { signal }) => {
    signal.throwIfAborted();
    // `cancel` ends all queries of a resolver, so each name has its own resolver.
    const resolver = createResolver();
    const cancel = (): void => resolver.cancel();
    signal.addEventListener("abort", cancel);
    try {
      const [ipv6, ipv4] = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)]);
      if (ipv6.status === "rejected" && ipv4.status === "rejected")
        // ENODATA means that the name exists, and has no addresses of the queried type.
        throw (ipv4.reason as NodeJS.ErrnoException).code === "ENODATA" ? ipv6.reason : ipv4.reason;
      return [ipv6, ipv4].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}
