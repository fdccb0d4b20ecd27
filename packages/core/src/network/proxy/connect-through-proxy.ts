import { AccessError } from "../../errors/access-error.ts";
import { anyAddress } from "../../policy/policy.ts";
import type { Endpoint } from "../../scheme/plan.ts";
import { connectTo, setGuardedSocketInfo } from "../connect.ts";
import type { GuardContext, Socket } from "../guard-context.ts";
import { startTls } from "../start-tls.ts";
import { requestHttpTunnel } from "./http-connect.ts";
import { describeProxy, type ParsedProxyServerSettings } from "./proxy-settings.ts";
import { requestSocksTunnel } from "./socks.ts";

/**
 * The default ports of the protocols that proxies use. The port rule allows the default port of a proxy, even if it is
 * below 1024.
 */
const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 } as const;

/**
 * Connects to a server through a proxy. `server.host` is an address that the guard has checked, or a name that the
 * proxy resolves. Throws `unavailable` when the proxy cannot connect to the server, `proxy` for a failure of the
 * proxy, `timeout`, and the errors of the guard for the proxy's address.
 */
export async function connectThroughProxy(
  context: GuardContext,
  proxy: ParsedProxyServerSettings,
  server: Endpoint,
): Promise<Socket> {
  const socket = await connectToProxy(context, proxy);
  try {
    const requestTunnel = proxy.protocol === "socks5" ? requestSocksTunnel : requestHttpTunnel;
    await requestTunnel(context, proxy, socket, server);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  setGuardedSocketInfo(socket, { host: server.host, proxy });
  context.trace({
    action: "connect",
    text: `${server.host} port ${server.port}, through ${describeProxy(proxy)}`,
  });
  return socket;
}

/**
 * Connects to the proxy itself. The caller has configured the proxy, so the guard accepts a private address of the
 * proxy. All other rules of the guard apply to the connection to the proxy, and `allowPorts` of the request's policy.
 */
async function connectToProxy(context: GuardContext, proxy: ParsedProxyServerSettings): Promise<Socket> {
  const { allowPorts } = context.policySelectionInput.requestPolicy;
  const proxyContext: GuardContext = {
    ...context,
    proxy: undefined,
    policySelectionInput: { requestPolicy: { ...anyAddress(), allowPorts }, targetNamedBy: "caller" },
    schemePorts: {
      scheme: proxy.protocol,
      defaultPort: DEFAULT_PORTS[proxy.protocol],
      portRange: "unprivileged",
    },
    // The policy of redirects depends on the addresses of servers, and not on the address of the proxy.
    onAddressesChecked: () => undefined,
  };
  try {
    const socket = await connectTo(proxyContext, { host: proxy.host, port: proxy.port });
    if (proxy.protocol !== "https") return socket;
    return await startTls(proxyContext, socket, proxy.host, { ca: proxy.ca });
  } catch (error) {
    if (!(error instanceof AccessError) || context.signal.aborted) throw error;
    const { cause, certificate, advice, limit } = error;
    const code = error.code === "unavailable" ? "proxy" : error.code;
    const reason = `${describeProxy(proxy)} cannot be used: ${error.reason}`;
    throw new AccessError(code, reason, { cause, certificate, advice, limit });
  }
}
