import { type Environment, type ProxyOption, proxyFromEnvironment } from "@anyscheme/core";
import { completeProxyUrl } from "@anyscheme/core/plugin";
import { UsageError } from "../errors/cli-errors.ts";
import type { OptionValues } from "./options.ts";

/** The proxy of a command. */
export interface ProxyChoice {
  /** The proxy of `--proxy` or of the environment variables. `undefined` means no proxy. */
  readonly proxy: ProxyOption | undefined;
  /** True when `--proxy` names a `socks5h` proxy, which resolves the names of all servers. */
  readonly allowProxyResolution: boolean;
}

/**
 * Returns the proxy that `--proxy` and `--noproxy` select, or else the environment variables, by the rules of curl.
 * `--noproxy` replaces the variable `no_proxy`. Throws `UsageError` for a value of `--proxy` that is not the URL of a
 * proxy, without repeating the value.
 */
export function selectCommandProxy(
  { proxy, noproxy }: OptionValues,
  environment: Environment = {},
): ProxyChoice {
  if (proxy === false || proxy === "") return { proxy: undefined, allowProxyResolution: false };
  const { no_proxy: lower, NO_PROXY: upper, ...variables } = environment;
  const list = { no_proxy: noproxy ?? (lower || upper) };
  if (proxy === undefined)
    return { proxy: proxyFromEnvironment({ ...variables, ...list }), allowProxyResolution: false };
  const url = completeProxyUrl(proxy);
  if (url === undefined)
    throw new UsageError(
      "--proxy needs the URL of a proxy, as in http://proxy.example:3128 or socks5://127.0.0.1:1080",
    );
  // Node.js overwrites the command-line arguments with the process title, so the process list shows no password.
  if (url.includes("@")) process.title = "anyscheme";
  return {
    proxy: proxyFromEnvironment({ all_proxy: url, ...list }),
    allowProxyResolution: /^socks5h:/i.test(url),
  };
}
