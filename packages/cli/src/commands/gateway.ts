import { publicInternet } from "@anyscheme/core";
import { startGateway } from "@anyscheme/gateway";
import { createGatewayClient } from "@anyscheme/gateway/compose";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import { ListenError } from "../errors/listen-error.ts";
import { newsServersFor } from "../client/scheme-packages.ts";
import { settingsOf } from "../config/settings.ts";
import { type Io, tell } from "../terminal/cli-io.ts";

/** This machine only. */
const HOST = "127.0.0.1";

/** Performs `gateway`: serves until it is asked to end. */
export async function gateway({ values }: CommandLine, io: Io): Promise<void> {
  const port = portOf(values.port);
  const { allowPorts, gateways, ...settings } = settingsOf(values, io);
  const interrupted = new Promise<void>((resolve) => {
    io.onInterrupt(() => resolve());
  });
  const client = createGatewayClient({
    policy: publicInternet({ allowPorts }),
    gateways,
    newsServers: await newsServersFor(settings),
  });
  try {
    await using listening = await startGateway(client, { host: HOST, port }).catch((error: unknown) => {
      throw new ListenError(HOST, port, error);
    });
    tell(io.stderr, [`showing ${client.schemes.join(", ")} at http://${HOST}:${listening.port}/`]);
    await interrupted;
  } finally {
    await client.destroy();
  }
}

function portOf(text = "8070"): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new UsageError("--port needs a port from 0 to 65535", "gateway");
  return port;
}
