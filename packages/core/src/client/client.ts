import { performance } from "node:perf_hooks";
import { AccessError } from "../access-error.ts";
import { systemResolver } from "../guard/dial.ts";
import { limitReached, type Limits, limitsWith } from "../guard/limits.ts";
import { publicInternet } from "../guard/policy.ts";
import { createRedactor } from "../guard/redact.ts";
import type { Plan, PlanOptions, Resource, Scheme } from "../scheme.ts";
import {
  type EqualityLevel,
  type ParseOptions,
  type ParseResult,
  resolveReference,
  type Url,
  UrlSyntaxError,
} from "../syntax/index.ts";
import { checkHop, sameOrigin, withoutSchemeOptions } from "./follow.ts";
import { type Call, Hop } from "./hop.ts";
import type { ClientOptions, DereferenceOptions } from "./options.ts";
import { createRegistry } from "./registry.ts";
import { reachesOut, samePlan } from "./same-plan.ts";
import type { NameOf, OptionsFor, ResourceFor, UrlFor } from "./typing.ts";

/** Dereferences URLs of the schemes it was made with. */
export interface Client<S extends Scheme = Scheme> extends AsyncDisposable {
  /** The names of the registered schemes. */
  readonly schemes: readonly NameOf<S>[];
  /** Throws `UrlSyntaxError`. URLs of schemes that are not registered are read as generic ones. RFC 1738 §2.1. */
  parse<const T extends string>(text: T, options?: ParseOptions): UrlFor<S, T>;
  /** Like `parse`, but returns the fault. */
  tryParse(text: string, options?: ParseOptions): ParseResult;
  /** The URL as RFC 1738 writes it. */
  format(url: Url): string;
  /** The URL that a relative reference stands for; hierarchical schemes only. Throws `UrlSyntaxError`. RFC 1738 §2.3. */
  resolve(base: Url, reference: string): Url;
  /**
   * Whether two URLs are the same, at a level; default `"equivalent"`. Throws `UrlSyntaxError` for a text that is no URL, and
   * for `"same-plan"` what `plan` throws. RFC 1738 §2.1, §2.2.
   */
  equal(one: string | Url, other: string | Url, level?: EqualityLevel): boolean;
  /** The steps of an access, without socket and DNS. Throws `unknown-scheme`, `refused-octets`. */
  plan<const T extends string | Url>(input: T, options?: PlanOptions & OptionsFor<S, T>): Plan;
  /** Performs the plan. Throws `UrlSyntaxError` for a text that is no URL, and `AccessError`. */
  dereference<const T extends string | Url>(
    input: T,
    options?: DereferenceOptions & OptionsFor<S, T>,
  ): Promise<ResourceFor<S, T>>;
  /** Ends everything that is under way with `aborted`, and waits for nothing. */
  close(): Promise<void>;
}

/** Makes a client. Throws `TypeError` for schemes, limits or ports that make no sense. */
export function createClient<const S extends Scheme>(options: ClientOptions<S>): Client<S> {
  const registry = createRegistry(options.schemes);
  const policy = options.policy ?? publicInternet();
  const limits = limitsWith(options.limits);
  const closing = new AbortController();

  function tryParse(text: string, { mode, maxLength }: ParseOptions = {}): ParseResult {
    // The generic syntax says what is wrong with a text that has no scheme.
    const syntax = registry.syntaxOf(text.slice(0, text.indexOf(":")));
    return syntax.tryParse(text, { mode: mode ?? options.mode, maxLength: maxLength ?? limits.maxUrlLength });
  }

  function parse(text: string, parseOptions?: ParseOptions): Url {
    const result = tryParse(text, parseOptions);
    if (result.fault) throw new UrlSyntaxError(result.fault);
    return result.url;
  }

  function planOf(url: Url, callOptions: PlanOptions, bounds: Limits): Plan {
    const plan = registry.schemeOf(url.scheme).plan(url, callOptions);
    const performed = plan.steps.filter(({ action }) => action !== "expect");
    if (performed.length > bounds.maxSteps)
      throw limitReached("maxSteps", bounds, "the plan has too many steps");
    return plan;
  }

  const normalize = (url: Url): string => registry.syntaxOf(url.scheme).normalize(url);

  const areEqual: Readonly<Record<EqualityLevel, (one: Url, other: Url) => boolean>> = {
    identical: (one, other) => one.href === other.href,
    equivalent: (one, other) => normalize(one) === normalize(other),
    "same-plan": (one, other) => {
      const [first, second] = [plan(one), plan(other)];
      if (reachesOut(first) || reachesOut(second)) return samePlan(first, second);
      return areEqual.equivalent(one, other);
    },
  };

  function equal(one: string | Url, other: string | Url, level: EqualityLevel = "equivalent"): boolean {
    // A URL that another client has read may be of another grammar, so that it is read again.
    const read = (input: string | Url): Url =>
      typeof input === "string" ? parse(input) : parse(input.href, { mode: "tolerant", maxLength: Infinity });
    return areEqual[level](read(one), read(other));
  }

  async function perform(url: Url, call: Call, from: Hop | undefined): Promise<Resource> {
    const scheme = located("dereference", url, () => registry.schemeOf(url.scheme));
    const hop = new Hop(call, scheme, url, from);
    return hop.access(() => planOf(url, call.options, call.limits));
  }

  async function dereference(input: string | Url, callOptions: DereferenceOptions = {}): Promise<Resource> {
    const bounds = limitsWith(callOptions.limits, limits);
    const url = typeof input === "string" ? parse(input, { maxLength: bounds.maxUrlLength }) : input;
    const call: Call = {
      options: {
        ...callOptions,
        credentials: callOptions.credentials ?? options.credentials,
        transcript: callOptions.transcript ?? options.transcript,
        email: callOptions.email ?? options.email,
      },
      policy: callOptions.policy ?? policy,
      limits: bounds,
      resolver: options.resolver ?? systemResolver,
      redact: createRedactor(),
      beganMs: performance.now(),
      closing: closing.signal,
      parse,
      follow(target, from) {
        checkHop(target, from, from.call);
        // What one hop has dropped stays dropped: the options are those of the hop before, not those of the first.
        return perform(
          target,
          sameOrigin(from.url, target) ? from.call : withoutSchemeOptions(from.call),
          from,
        );
      },
    };
    return perform(url, call, undefined);
  }

  function plan(input: string | Url, callOptions: PlanOptions = {}): Plan {
    const url = typeof input === "string" ? parse(input) : input;
    const email = callOptions.email ?? options.email;
    return located("plan", url, () => planOf(url, { ...callOptions, email }, limits));
  }

  function close(): Promise<void> {
    closing.abort();
    return Promise.resolve();
  }

  const client: Record<keyof Client, unknown> = {
    schemes: registry.names,
    parse,
    tryParse,
    format: (url: Url) => registry.syntaxOf(url.scheme).format(url),
    resolve: (base: Url, reference: string) =>
      parse(resolveReference(base, registry.syntaxOf(base.scheme).hierarchy, reference)),
    equal,
    plan,
    dereference,
    close,
    [Symbol.asyncDispose]: close,
  };
  // The types of the results follow from the literals at the call, which no implementation can show.
  return client as unknown as Client<S>;
}

/** Does work that no server has a part in yet; its errors get their place. */
function located<T>(name: string, url: Url, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof AccessError ? error.at({ name, url: String(url), redact: (text) => text }) : error;
  }
}
