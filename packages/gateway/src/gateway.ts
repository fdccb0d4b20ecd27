import type { Client } from "@anyscheme/core";
import { checkArgument, checkOptions, optionKinds } from "@anyscheme/core/plugin";
import { Admission, DEFAULT_ADMISSION } from "./admission.ts";
import { createHandle } from "./handle.ts";
import { listen, type Listening } from "./listen.ts";
import { GATEWAY_OPTIONS, type GatewayOptions } from "./options.ts";

const MiB = 1_048_576;

const CLIENT = optionKinds.objectWith("a client, as createClient() makes one", {
  dereference: "function",
  parse: "function",
});

/** Starts a gateway that shows what a client dereferences. The client's policy says what may be reached; it is not closed. */
export async function startGateway(client: Client, options: GatewayOptions = {}): Promise<Listening> {
  checkArgument("startGateway", "client", client, CLIENT);
  checkOptions("startGateway", options, GATEWAY_OPTIONS);
  const { host = "127.0.0.1", headTimeoutMs = 10_000, writeTimeoutMs = 30_000 } = options;
  const origins: string[] = [];
  const handle = createHandle({
    client,
    admission: new Admission({ ...DEFAULT_ADMISSION, ...options.admission }),
    origins,
    maxTextBytes: options.maxTextBytes ?? MiB,
    maxRawBytes: options.maxRawBytes ?? 1024 * MiB,
  });
  const listening = await listen(handle, {
    host,
    port: options.port ?? 8070,
    maxConnections: options.maxConnections ?? 1_024,
    headTimeoutMs,
    requestTimeoutMs: headTimeoutMs * 3,
    writeTimeoutMs,
    maxHeadBytes: 16_384,
    maxBodyBytes: 65_536,
  });
  const name = host.includes(":") ? `[${host}]` : host;
  for (const given of [name, "localhost", ...(options.names ?? [])]) {
    const known = given.toLowerCase();
    origins.push(`http://${known}:${listening.port}`);
    if (listening.port === 80 || options.names?.includes(given)) origins.push(`http://${known}`);
    // A server in front may speak TLS, at this port's number or at its default.
    origins.push(`https://${known}:${listening.port}`, `https://${known}`);
  }
  return listening;
}
