import type { Url } from "../../syntax/index.ts";
import type { Endpoint } from "../../scheme/plan.ts";
import {
  certificatesOptionKind,
  type OptionKind,
  createEnumOptionKind,
  createOptionsOptionKind,
  callbackOptionKind,
} from "../../options/option-kinds.ts";
import { AccessError } from "../../errors/access-error.ts";
import { callUserCallback } from "../../errors/call-user-callback.ts";

/** A proxy, and how the client uses it. */
export interface ProxyServerSettings {
  /**
   * The URL of the proxy, as in `http://user:password@proxy.example:3128`. Schemes: `http`, `https`, `socks5`, and
   * `socks5h`, which is `socks5` with `resolveBy: "proxy"`. Default port: 1080, and 443 for `https`.
   */
  readonly url: string;
  /**
   * The side that resolves the host names of servers. `"client"`: the guard checks the addresses, and the proxy
   * receives a checked address. `"proxy"`: the proxy receives the name, and the policy must have
   * `allowProxyResolution`. Default `"client"`.
   */
  readonly resolveBy?: "client" | "proxy" | undefined;
  /** The trusted certificates (PEM) of an `https` proxy, which replace the built-in certificates. */
  readonly ca?: string | readonly string[] | undefined;
}

/**
 * Returns the proxy for a URL, or `undefined` for a connection without a proxy. `server` is the host and port to which
 * the client connects. A request with several servers, such as that of a news URL, calls the function for each of them.
 */
export type ProxySelector = (
  url: Url,
  server: Endpoint | undefined,
) => string | ProxyServerSettings | undefined;

/** The proxy of all requests, or a function that returns the proxy of each URL. */
export type ProxyOption = string | ProxyServerSettings | ProxySelector;

export type ProxyProtocol = "http" | "https" | "socks5";

/** The schemes of proxy URLs, with their default ports. curl also has the default port 1080. */
const PROTOCOLS: Readonly<Record<string, { readonly protocol: ProxyProtocol; readonly port: number }>> = {
  "http:": { protocol: "http", port: 1080 },
  "https:": { protocol: "https", port: 443 },
  "socks5:": { protocol: "socks5", port: 1080 },
  "socks5h:": { protocol: "socks5", port: 1080 },
};

/** The maximum size of a user name or password of SOCKS5, in bytes. RFC 1929 §2. */
const MAX_SOCKS_LOGIN_BYTES = 255;

export interface ProxyLogin {
  readonly user: string;
  readonly password: string;
}

/**
 * The parsed form of {@link ProxyServerSettings}. Only `login` returns the login, so that no string form of the
 * settings contains it.
 */
export class ParsedProxyServerSettings {
  readonly protocol: ProxyProtocol;
  readonly host: string;
  readonly port: number;
  readonly resolveBy: "client" | "proxy";
  readonly ca: string | readonly string[] | undefined;
  readonly #login: ProxyLogin | undefined;

  constructor({ url, resolveBy, ca }: ProxyServerSettings) {
    const parsed = new URL(url);
    const known = PROTOCOLS[parsed.protocol];
    if (!known) throw new TypeError("not the scheme of a proxy");
    const { protocol, port } = known;
    // `URL` removes the default port of the scheme http.
    const defaultPort = protocol === "http" && /:0*80\/?$/.test(url.trim()) ? 80 : port;
    this.protocol = protocol;
    this.host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
    this.port = Number(parsed.port || defaultPort);
    this.resolveBy = resolveBy ?? (parsed.protocol === "socks5h:" ? "proxy" : "client");
    this.ca = ca;
    const { username, password } = parsed;
    if (username || password)
      this.#login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    const hasPath = !/^\/?$/.test(parsed.pathname) || parsed.search !== "" || parsed.hash !== "";
    if (this.host === "" || this.port === 0 || hasPath) throw new TypeError("not the URL of a proxy");
    if (!isPossibleLogin(this.#login, protocol))
      throw new TypeError("not a login that the proxy can receive");
  }

  get login(): ProxyLogin | undefined {
    return this.#login;
  }

  /** True when both objects describe the same proxy with the same login and settings. */
  equals(other: ParsedProxyServerSettings | undefined): boolean {
    return other !== undefined && JSON.stringify(this.#parts()) === JSON.stringify(other.#parts());
  }

  #parts(): unknown[] {
    return [this.protocol, this.host, this.port, this.resolveBy, this.ca ?? null, this.#login ?? null];
  }

  /** The URL of the proxy without its login. */
  toString(): string {
    return `${this.protocol}://${this.host.includes(":") ? `[${this.host}]` : this.host}:${this.port}`;
  }
}

/**
 * Returns the text that names a proxy in messages, as in `the proxy http://proxy.example:3128`. The text never contains
 * the login of the proxy.
 */
export function describeProxy(proxy: ParsedProxyServerSettings): string {
  return `the proxy ${String(proxy)}`;
}

/** The advice in an error of a proxy that requires a login. */
export const PROXY_LOGIN_ADVICE = "write the login into the URL of the proxy, before its host and an @";

/**
 * Basic authentication has no form for a colon in the user name (RFC 7617 §2). SOCKS5 limits the sizes of user name and
 * password.
 */
function isPossibleLogin(login: ProxyLogin | undefined, protocol: ProxyProtocol): boolean {
  if (!login) return true;
  if (protocol !== "socks5") return !login.user.includes(":");
  const sizes = [login.user, login.password].map((text) => Buffer.byteLength(text));
  return sizes.every((size) => size > 0 && size <= MAX_SOCKS_LOGIN_BYTES);
}

function isProxyUrl(value: unknown): boolean {
  try {
    return typeof value === "string" && new ParsedProxyServerSettings({ url: value }).port > 0;
  } catch {
    return false;
  }
}

const proxyUrlOptionKind: OptionKind = {
  expects: 'the URL of a proxy, such as "http://proxy.example:3128" or "socks5://127.0.0.1:1080"',
  accepts: isProxyUrl,
  validTypes: ["string"],
};

const proxyServerSettingsOptionKind = /* @__PURE__ */ createOptionsOptionKind(
  {
    url: proxyUrlOptionKind,
    resolveBy: /* @__PURE__ */ createEnumOptionKind("client", "proxy"),
    ca: certificatesOptionKind,
  },
  "{ url, resolveBy?, ca? }",
);

export const clientProxyOptionKind: OptionKind = {
  expects: `${proxyUrlOptionKind.expects}, or ${proxyServerSettingsOptionKind.expects}, or a function that returns one of them`,
  accepts: (value) =>
    proxyUrlOptionKind.accepts(value) ||
    callbackOptionKind.accepts(value) ||
    (proxyServerSettingsOptionKind.accepts(value) &&
      (value as Partial<ProxyServerSettings>).url !== undefined),
  validTypes: ["string", "object"],
  findNestedOptionFault: (value) => proxyServerSettingsOptionKind.findNestedOptionFault?.(value),
};

/**
 * Returns the proxy of a request, or `undefined`. Throws an error with the code `plugin` when a function returns an
 * invalid value, and the errors of the function.
 */
export function selectProxy(
  option: ProxyOption | undefined,
  requestUrl: Url,
  server: Endpoint | undefined,
): ParsedProxyServerSettings | undefined {
  const chosen =
    typeof option === "function" ? callUserCallback("proxy", option, requestUrl, server) : option;
  if (chosen === undefined) return undefined;
  if (typeof chosen === "function" || !clientProxyOptionKind.accepts(chosen))
    throw new AccessError(
      "plugin",
      `the function of the option proxy did not return ${proxyUrlOptionKind.expects}`,
    );
  return new ParsedProxyServerSettings(typeof chosen === "string" ? { url: chosen } : chosen);
}
