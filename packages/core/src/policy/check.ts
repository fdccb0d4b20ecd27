import { AccessError } from "../errors/access-error.ts";
import type { Endpoint } from "../scheme/plan.ts";
import { addressBytes, isPrivate, refusedBlock } from "./ip-address.ts";
import type { Gate } from "../network/connector.ts";
import { limitError } from "./limits.ts";
import { nameRefusal } from "./host-names.ts";
import type { Policy } from "./policy.ts";
import { placeOf, policyFor } from "./policy-for.ts";
import { reasonOf } from "../errors/network-reasons.ts";
import { decidePort, type PortClass, type PortVerdict } from "./ports.ts";

/**
 * What every way out goes through: port rule, name rule, one look-up, address rule. Gives the addresses that may be reached; at once
 * where nobody has to be asked. Throws `refused-port`, `refused-name`, `refused-address`, `unavailable`, `timeout`.
 */
export function admit(gate: Gate, target: Endpoint): readonly string[] | Promise<readonly string[]> {
  const isAddress = addressBytes(target.host) !== undefined;
  const policy = policyFor(gate.lead, isAddress ? placeOf([target.host]) : undefined);
  const asking = checkPort(gate, policy, target);
  if (isAddress) {
    if (asking) return asking.then(() => checkAddresses(gate, policy, [target.host], target.port));
    return checkAddresses(gate, policy, [target.host], target.port);
  }
  return admitName(gate, policy, target, asking);
}

async function admitName(
  gate: Gate,
  policy: Policy,
  target: Endpoint,
  asking: Promise<void> | undefined,
): Promise<readonly string[]> {
  if (asking) await asking;
  checkName(target.host, policy);
  const addresses = await resolve(gate, target.host);
  const final = policyFor(gate.lead, placeOf(addresses));
  // A private server may lead to a name under one policy, and the name to a public address under another.
  if (final !== policy) {
    await checkPort(gate, final, target);
    checkName(target.host, final);
  }
  return checkAddresses(gate, final, addresses, target.port);
}

/** The port rule. Gives a promise where the caller has to be asked. */
function checkPort({ portClass }: Gate, policy: Policy, target: Endpoint): Promise<void> | undefined {
  const verdict = decidePort(target.port, portClass, policy);
  if (verdict.allowed || isUsual(portClass, policy, target)) return undefined;
  return askForPort(portClass, policy, target, verdict);
}

/** Whether the port is one for the protocol that is really spoken: its default, or one that the policy allows for it. */
function isUsual(portClass: PortClass, policy: Policy, { port, protocol: spoken }: Endpoint): boolean {
  const { protocols = {} } = portClass;
  if (spoken === undefined || !Object.hasOwn(protocols, spoken)) return false;
  return decidePort(port, { ...portClass, scheme: spoken, defaultPort: protocols[spoken] }, policy).allowed;
}

async function askForPort(
  { scheme }: PortClass,
  policy: Policy,
  { host, port }: Endpoint,
  verdict: PortVerdict & { allowed: false },
): Promise<void> {
  if (verdict.ask && (await policy.confirmPort?.({ scheme, host, port })) === true) return;
  throw new AccessError("refused-port", verdict.why, {
    advice: port > 0 && port < 65536 ? `allow it with allowPorts: { "${scheme}": [${port}] }` : undefined,
  });
}

function checkName(host: string, policy: Policy): void {
  const refusal = nameRefusal(host, policy);
  if (refusal === undefined) return;
  // What is no name, or too long for one, no policy allows.
  const isAllowable = nameRefusal(host, { ...policy, addressScope: "any" }) === undefined;
  const advice = isAllowable ? nameAdvice(host) : undefined;
  throw new AccessError("refused-name", `the name ${host} is refused: ${refusal}`, { advice });
}

/** How a caller allows a name that is not public. The address that it leads to has to be allowed as well. */
function nameAdvice(host: string): string {
  const addresses = /^(?:.*\.)?localhost\.?$/i.test(host) ? `["127.0.0.1", "::1"]` : "[…]";
  return `allow it with publicInternet({ allowNames: ["${host}"], allowAddresses: ${addresses} }), or with anyAddress()`;
}

async function resolve(gate: Gate, host: string): Promise<readonly string[]> {
  const addresses = await lookUp(gate, host);
  if (addresses.length === 0) throw new AccessError("unavailable", `the name ${host} has no address`);
  if (addresses.length > gate.limits.maxAddresses)
    throw limitError("maxAddresses", gate.limits, `the name ${host} has too many addresses`);
  gate.trace({ action: "resolve", text: `${host} is ${addresses.join(", ")}` });
  return addresses;
}

function isBug(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}

/** Asks the resolver, within its time limit and the signal of the access. */
async function lookUp(gate: Gate, host: string): Promise<readonly string[]> {
  const { signal, limits } = gate;
  signal.throwIfAborted();
  const timeout = new AbortController();
  const either = AbortSignal.any([signal, timeout.signal]);
  const expire = (): void =>
    timeout.abort(limitError("dnsTimeoutMs", limits, `looking up ${host} took too long`));
  const timer = limits.dnsTimeoutMs === Infinity ? undefined : setTimeout(expire, limits.dnsTimeoutMs);
  try {
    return await new Promise<readonly string[]>((give, reject) => {
      either.addEventListener("abort", () => reject(either.reason as Error));
      const fail = (cause: unknown): void =>
        // A programming error of a caller's resolver says nothing of the name.
        reject(
          isBug(cause)
            ? cause
            : new AccessError("unavailable", `the name ${host} cannot be resolved${reasonOf(cause)}`, {
                cause,
              }),
        );
      try {
        gate.resolver(host, { signal: either }).then(give, fail);
      } catch (cause) {
        fail(cause);
      }
    });
  } finally {
    clearTimeout(timer);
  }
}

// One refused address refuses the whole answer: a name that leads to a private address is not a public name.
function checkAddresses(
  gate: Gate,
  { allowAddresses, addressScope: reach }: Policy,
  addresses: readonly string[],
  port: number,
): readonly string[] {
  for (const address of addresses) {
    const bytes = addressBytes(address);
    if (!bytes) throw new AccessError("refused-address", `the resolver gave ${address}, which is no address`);
    const block = reach === "public" ? refusedBlock(bytes) : undefined;
    if (block && !allowAddresses.some((allows) => allows(bytes, gate.portClass.scheme, port))) {
      const advice = isPrivate(address)
        ? `allow it with publicInternet({ allowAddresses: ["${address}"] }), or with anyAddress()`
        : undefined;
      throw new AccessError("refused-address", `the address ${address} is refused: ${block}`, { advice });
    }
  }
  gate.admitted(addresses);
  return addresses;
}
