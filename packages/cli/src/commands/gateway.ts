import { publicInternet } from "@anyscheme/core";
import { startGateway } from "@anyscheme/gateway";
import { createGatewayClient } from "@anyscheme/gateway/compose";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import { ListenError } from "../errors/listen-error.ts";
import { newsServersOrDefault } from "../client/scheme-packages.ts";
import { readSettings } from "../config/settings.ts";
import { type CliIo, writeToStderr } from "../terminal/cli-io.ts";

/** This machine only. */
const HOST = "127.0.0.1";

/** Performs `gateway`: serves until it is asked to end. */
export async function gateway({ values }: CommandLine, io: CliIo): Promise<void> {
  const port = parsePort(values.port);
  const { allowPorts, gateways, ...settings } = readSettings(values, io);
  const interrupted = new Promise<void>((resolve) => {
    io.onInterrupt(() => resolve());
  });
  const client = createGatewayClient({
    policy: publicInternet({ allowPorts }),
    gateways,
    newsServers: await newsServersOrDefault(settings),
  });
  try {
    await using listening = await startGateway(client, { host: HOST, port }).catch((error: unknown) => {
      throw new ListenError(HOST, port, error);
    });
    writeToStderr(io.stderr, [`showing ${client.schemes.join(", ")} at http://${HOST}:${listening.port}/`]);
    await interrupted;
  } finally {
    await client.destroy();
  }
}

function parsePort(text = "8070"): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new UsageError("--port needs a port from 0 to 65535", "gateway");
  return port;
}
