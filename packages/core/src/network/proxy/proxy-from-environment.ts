import { AccessError } from "../../errors/access-error.ts";
import { checkArgument } from "../../options/check-options.ts";
import { nonArrayObjectOptionKind } from "../../options/option-kinds.ts";
import { InternetUrl } from "../../syntax/index.ts";
import { matchesNoProxy } from "./no-proxy.ts";
import { clientProxyOptionKind, type ProxySelector } from "./proxy-settings.ts";

/** Environment variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function for the option `proxy` that reads the environment variables of curl: `http_proxy` and the
 * variables of other schemes, then `all_proxy`. `no_proxy` lists the hosts without a proxy. Variables in lower case
 * take precedence over upper case, and `HTTP_PROXY` is ignored. The function throws an error with the code `proxy` for
 * a variable that is not the URL of a proxy. `environment` defaults to `process.env`.
 * <https://everything.curl.dev/usingcurl/proxies/env.html>
 */
export function proxyFromEnvironment(environment: Environment = process.env): ProxySelector {
  checkArgument("proxyFromEnvironment", "environment", environment, nonArrayObjectOptionKind);
  /** Returns the name of the first environment variable that is set. An empty variable counts as absent. */
  const findVariable = (...names: string[]): string | undefined => names.find((name) => environment[name]);
  return (url, server) => {
    const own = `${url.scheme}_proxy`;
    // A web server sets HTTP_PROXY for CGI programs from the header field Proxy of a request.
    const ownNames = own === "http_proxy" ? [own] : [own, own.toUpperCase()];
    const variable = findVariable(...ownNames, "all_proxy", "ALL_PROXY");
    if (variable === undefined) return undefined;
    const list = environment[findVariable("no_proxy", "NO_PROXY") ?? ""] ?? "";
    const host = server?.host ?? (url instanceof InternetUrl ? url.effectiveHost : undefined);
    if (list === "*" || (host !== undefined && matchesNoProxy(list, host))) return undefined;
    const proxy = completeProxyUrl(environment[variable] ?? "");
    if (proxy !== undefined) return proxy;
    const advice = "write http://HOST:PORT, https://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT";
    throw new AccessError("proxy", `the environment variable ${variable} is not the URL of a proxy`, {
      advice,
    });
  };
}

/**
 * Returns the URL of a proxy, or `undefined` for any other text. A text without a scheme is the host of an HTTP proxy,
 * as in curl.
 */
export function completeProxyUrl(text: string): string | undefined {
  const url = /^[a-z][\da-z+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return clientProxyOptionKind.accepts(url) ? url : undefined;
}
