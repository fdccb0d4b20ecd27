import { AccessError, isProgrammingError } from "../errors/access-error.ts";
import { callAsyncUserCallback, wrapUserCallbackError } from "../errors/call-user-callback.ts";
import type { Endpoint } from "../scheme/plan.ts";
import { parseIpAddress, isPrivateAddress, findRefusedBlockName } from "./ip-address.ts";
import type { GuardContext } from "../network/guard-context.ts";
import { createLimitError } from "./limits.ts";
import { findHostNameRefusal } from "./host-names.ts";
import type { Policy } from "./policy.ts";
import {
  getNetworkKindOfAddresses,
  selectRequestOrRedirectPolicy,
} from "./select-request-or-redirect-policy.ts";
import { describeValue } from "../options/check-options.ts";
import { describeNetworkFailure } from "../errors/network-failures.ts";
import { applyPortRule, type SchemePortProperties, type PortRuleResult } from "./ports.ts";

/**
 * Applies the policy's rules for port, host name and addresses to a target, and returns its addresses. Looks the host
 * name up once. Returns a promise only when a name must be looked up or the port rule does not allow the port. Throws
 * `refused-port`, `refused-name`, `refused-address`, `unavailable`, `timeout`.
 */
export function resolveAndCheckTarget(
  context: GuardContext,
  target: Endpoint,
): readonly string[] | Promise<readonly string[]> {
  const { host } = target;
  const isAddress = parseIpAddress(host) !== undefined;
  const policy = selectRequestOrRedirectPolicy(
    context.policySelectionInput,
    isAddress ? getNetworkKindOfAddresses([host]) : undefined,
  );
  const confirmation = checkTargetPort(context, policy, target);
  if (!isAddress) return resolveAndCheckName(context, policy, target, confirmation);
  if (!confirmation) return checkResolvedAddresses(context, policy, [host], target);
  return confirmation.then(() => checkResolvedAddresses(context, policy, [host], target));
}

async function resolveAndCheckName(
  context: GuardContext,
  policy: Policy,
  target: Endpoint,
  confirmation: Promise<void> | undefined,
): Promise<readonly string[]> {
  if (confirmation) await confirmation;
  checkHostName(target.host, policy);
  const addresses = await resolveHost(context, target.host);
  const finalPolicy = selectRequestOrRedirectPolicy(
    context.policySelectionInput,
    getNetworkKindOfAddresses(addresses),
  );
  // The port and the name have already been checked against the policy for a private peer. When the addresses of the
  // host name are public, the policy for a public peer applies too.
  if (finalPolicy !== policy) {
    await checkTargetPort(context, finalPolicy, target);
    checkHostName(target.host, finalPolicy);
  }
  return checkResolvedAddresses(context, finalPolicy, addresses, target);
}

/**
 * Applies the rules for port and host name to a target whose name a proxy resolves. The client does not know the
 * server's addresses, so the policies for private and for public peers must both allow names that a proxy resolves.
 * Throws `refused-port`, `refused-name`, `refused-address`.
 */
export async function checkTargetResolvedByProxy(context: GuardContext, target: Endpoint): Promise<void> {
  const { policySelectionInput } = context;
  const policies = new Set(
    (["private", "public"] as const).map((scope) =>
      selectRequestOrRedirectPolicy(policySelectionInput, scope),
    ),
  );
  for (const policy of policies) {
    await checkTargetPort(context, policy, target);
    checkHostName(target.host, policy);
    if (policy.allowProxyResolution) continue;
    const reason = `the policy cannot check the addresses of ${target.host}, because the proxy would resolve the name`;
    const advice =
      'use resolveBy: "client", or socks5:// instead of socks5h://, or allow it with allowProxyResolution: true';
    throw new AccessError("refused-address", reason, { advice });
  }
  context.onAddressesChecked([]);
}

/**
 * Applies the policy's rules for host names before a connection begins. These rules need no DNS look-up of the host
 * name. Throws `refused-name`.
 */
export function checkTargetHostName({ policySelectionInput }: GuardContext, host: string): void {
  if (parseIpAddress(host) === undefined)
    checkHostName(host, selectRequestOrRedirectPolicy(policySelectionInput, undefined));
}

/**
 * Applies the policy's port rule to the target of a connection. Returns a promise only for a port that the port rule
 * does not allow. The promise rejects unless `confirmPort` of the policy allows the port.
 */
function checkTargetPort(
  { schemePorts }: GuardContext,
  policy: Policy,
  target: Endpoint,
): Promise<void> | undefined {
  const decision = applyPortRule(target.port, schemePorts, policy);
  if (decision.allowed || isDeclaredProtocolPort(schemePorts, policy, target)) return undefined;
  return requirePortConfirmation(schemePorts, policy, target, decision);
}

/**
 * True when the target names another protocol of the scheme, and its port is allowed for that protocol. The port rule
 * then treats the other protocol as a scheme with its own name and default port.
 */
function isDeclaredProtocolPort(
  schemePorts: SchemePortProperties,
  policy: Policy,
  { port, applicationProtocol }: Endpoint,
): boolean {
  const { additionalProtocolPorts = {} } = schemePorts;
  if (applicationProtocol === undefined || !Object.hasOwn(additionalProtocolPorts, applicationProtocol))
    return false;
  const ports = {
    ...schemePorts,
    scheme: applicationProtocol,
    defaultPort: additionalProtocolPorts[applicationProtocol],
  };
  return applyPortRule(port, ports, policy).allowed;
}

async function requirePortConfirmation(
  { scheme }: SchemePortProperties,
  policy: Policy,
  { host, port }: Endpoint,
  decision: PortRuleResult & { allowed: false },
): Promise<void> {
  const { confirmPort } = policy;
  if (decision.needsConfirmation && confirmPort) {
    const isConfirmed: unknown = await callAsyncUserCallback("confirmPort", confirmPort, {
      scheme,
      host,
      port,
    });
    if (isConfirmed === true) return;
  }
  throw new AccessError("refused-port", decision.reason, {
    advice: port > 0 && port < 65536 ? `allow it with allowPorts: { "${scheme}": [${port}] }` : undefined,
  });
}

function checkHostName(host: string, policy: Policy): void {
  const refusal = findHostNameRefusal(host, policy);
  if (refusal === undefined) return;
  // No policy allows an invalid host name, or a host name that is too long for the DNS.
  const isAllowable = findHostNameRefusal(host, { ...policy, addressScope: "any" }) === undefined;
  const advice = isAllowable ? createRefusedNameAdvice(host) : undefined;
  throw new AccessError("refused-name", `the host name ${host} is refused: ${refusal}`, { advice });
}

/**
 * Returns advice on how to allow a host name that is not public. A policy that allows the name must also allow its
 * addresses.
 */
function createRefusedNameAdvice(host: string): string {
  const addresses = /^(?:.*\.)?localhost\.?$/i.test(host) ? `["127.0.0.1", "::1"]` : "[…]";
  return `allow it with publicInternet({ allowNames: ["${host}"], allowAddresses: ${addresses} }), or with anyAddress()`;
}

async function resolveHost(context: GuardContext, host: string): Promise<readonly string[]> {
  const addresses = await lookUpWithTimeout(context, host);
  if (addresses.length === 0) throw new AccessError("unavailable", `the host name ${host} has no address`);
  if (addresses.length > context.limits.maxAddresses)
    throw createLimitError("maxAddresses", context.limits, `the host name ${host} has too many addresses`);
  context.trace({ action: "resolve", text: `${host} is ${addresses.join(", ")}` });
  return addresses;
}

/** Calls the resolver, and stops waiting at the time limit or when the request aborts. */
async function lookUpWithTimeout(context: GuardContext, host: string): Promise<readonly string[]> {
  const { signal, limits } = context;
  signal.throwIfAborted();
  const timeout = new AbortController();
  const either = AbortSignal.any([signal, timeout.signal]);
  const expire = (): void =>
    timeout.abort(createLimitError("dnsTimeoutMs", limits, `looking up the host name ${host} took too long`));
  const timer = limits.dnsTimeoutMs === Infinity ? undefined : setTimeout(expire, limits.dnsTimeoutMs);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  either.addEventListener("abort", () => reject(either.reason as Error));
  try {
    // The caller's resolver may never settle, even after an abort.
    return await Promise.race([callResolver(context, host, either), aborted]);
  } finally {
    clearTimeout(timer);
  }
}

/** The advice for a network whose hosts cannot look names up themselves. */
const PROXY_RESOLUTION_ADVICE =
  'if only the proxy can look names up, use the proxy { url, resolveBy: "proxy" } and a policy with allowProxyResolution: true';

async function callResolver(
  context: GuardContext,
  host: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return copyAddresses(await context.resolver(host, { signal }));
  } catch (cause) {
    if (cause instanceof AccessError && cause.code === "plugin") throw cause;
    if (isProgrammingError(cause)) throw wrapUserCallbackError("resolver", cause);
    throw new AccessError(
      "unavailable",
      `the host name ${host} cannot be resolved: ${describeNetworkFailure(cause)}`,
      { cause, advice: context.proxy && PROXY_RESOLUTION_ADVICE },
    );
  }
}

/**
 * Returns a copy of the addresses of a resolver, so that the guard connects to the addresses that it has checked.
 * Throws `plugin` when the caller's resolver returns anything but an array of strings.
 */
function copyAddresses(answer: unknown): readonly string[] {
  const isArray = Array.isArray(answer);
  const addresses = isArray ? Array.from(answer as readonly unknown[]) : [];
  if (isArray && addresses.every((address) => typeof address === "string")) return addresses;
  const returned = isArray
    ? `an array with ${describeValue(addresses.find((address) => typeof address !== "string"))}`
    : describeValue(answer);
  const advice =
    'return the addresses as text, as ["192.0.2.1"]; for dns.lookup with all: true, return found.map(({ address }) => address)';
  throw new AccessError("plugin", `the callback resolver returned ${returned}, and not addresses`, {
    advice,
  });
}

/**
 * Applies the policy's address rule to the addresses of a host name. One refused address makes the guard refuse the
 * host name, because a name with a refused address is not public.
 */
function checkResolvedAddresses(
  context: GuardContext,
  { allowAddresses, addressScope }: Policy,
  addresses: readonly string[],
  { host, port }: Endpoint,
): readonly string[] {
  const target = { scheme: context.schemePorts.scheme, host, port };
  for (const address of addresses) {
    const bytes = parseIpAddress(address);
    if (!bytes)
      throw new AccessError(
        "refused-address",
        `the resolver returned ${address}, which is not an IP address`,
      );
    const block = addressScope === "public" ? findRefusedBlockName(bytes) : undefined;
    if (block && !allowAddresses.some((matches) => matches(bytes, target))) {
      const advice = isPrivateAddress(address)
        ? `allow it with publicInternet({ allowAddresses: ["${address}"] }), or with anyAddress()`
        : undefined;
      throw new AccessError("refused-address", `the address ${address} is refused: ${block}`, { advice });
    }
  }
  context.onAddressesChecked(addresses);
  return addresses;
}
