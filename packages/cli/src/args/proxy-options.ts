import {
  type Environment,
  type ProxyOption,
  type ProxySelector,
  proxyFromEnvironment,
} from "@anyscheme/core";
import { completeProxyUrl } from "@anyscheme/core/plugin";
import { UsageError } from "../errors/cli-errors.ts";
import { readCaCertificates } from "./option-value-files.ts";
import type { OptionValues } from "./options.ts";

/** The proxy of a command. */
export interface CommandLineProxyOptions {
  /** The proxy of `--proxy` or of the environment variables. `undefined` if the command uses no proxy. */
  readonly proxy: ProxyOption | undefined;
  /** True when `--proxy` names a `socks5h` proxy, which resolves the names of all servers. */
  readonly allowProxyResolution: boolean;
}

/**
 * Returns the proxy that `--proxy` and `--noproxy` select, or else the environment variables, by the rules of curl.
 * `--noproxy` replaces the variable `no_proxy`. Throws `UsageError` for a value of `--proxy` that is not the URL of a
 * proxy, without repeating the value, and for an unreadable file of `--proxy-cacert`.
 */
export function parseProxyOptions(
  optionValues: OptionValues,
  environment: Environment = {},
): CommandLineProxyOptions {
  const { proxy, noproxy } = optionValues;
  const ca = readCaCertificates(optionValues, "proxy-cacert");
  if (proxy === false || proxy === "") return { proxy: undefined, allowProxyResolution: false };
  const { no_proxy: lower, NO_PROXY: upper, ...variables } = environment;
  const list = { no_proxy: noproxy ?? (lower || upper) };
  if (proxy === undefined)
    return { proxy: selectProxyWithCa({ ...variables, ...list }, ca), allowProxyResolution: false };
  const url = completeProxyUrl(proxy);
  if (url === undefined)
    throw new UsageError(
      "--proxy needs the URL of a proxy, as in http://proxy.example:3128 or socks5://127.0.0.1:1080",
    );
  // Node.js overwrites the command-line arguments with the process title, so the process list shows no password.
  if (url.includes("@")) process.title = "anyscheme";
  return {
    proxy: selectProxyWithCa({ all_proxy: url, ...list }, ca),
    allowProxyResolution: /^socks5h:/i.test(url),
  };
}

/**
 * Returns the function that selects a proxy by the given environment variables. The certificate of an `https` proxy is
 * checked against `ca`.
 */
function selectProxyWithCa(variables: Environment, ca: string | undefined): ProxySelector {
  const select = proxyFromEnvironment(variables);
  return (url, server) => {
    const proxy = select(url, server);
    return typeof proxy === "string" ? { url: proxy, ca } : proxy;
  };
}
