import { type Client, type ClientOptions, createClient, publicInternet } from "@anyscheme/core";
import { sqliteCache } from "@anyscheme/core/cache";
import { startGateway } from "@anyscheme/gateway";
import type { OptionValues } from "../args/options.ts";
import type { CommandLineWithSchemes, CommandSchemes } from "../client/command-schemes.ts";
import { readCommandSettings } from "../config/command-settings.ts";
import { ListenError, UsageError } from "../errors/cli-errors.ts";
import { formatErrorReport } from "../errors/error-report.ts";
import { type CliIo, writeLinesToStderr } from "../terminal/cli-io.ts";

/** The listening address of the gateway, which accepts connections from this machine only. */
const LISTEN_ADDRESS = "127.0.0.1";

/** Runs the command `gateway`, a web server that stops at a signal such as SIGINT. */
export async function runGatewayCommand(
  { optionValues, schemes }: CommandLineWithSchemes,
  io: CliIo,
): Promise<void> {
  const port = parsePort(optionValues.port);
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>();
  io.onProcessSignal(() => interrupt());
  await using client = await createClientOfGateway(schemes, optionValues, io);
  const onError = (error: unknown): void =>
    writeLinesToStderr(io, formatErrorReport(error, undefined, io.stderr.columns, schemes.names).lines);
  await using server = await startGateway(client, { host: LISTEN_ADDRESS, port, onError }).catch(
    (error: unknown) => {
      throw new ListenError(LISTEN_ADDRESS, port, error);
    },
  );
  writeLinesToStderr(io, [
    `serving ${client.schemes.join(", ")} at http://${LISTEN_ADDRESS}:${server.port}/`,
  ]);
  await interrupted;
}

/**
 * Creates a client that has all schemes except `file`, and connects to public servers only. A policy of the embedding
 * program may also allow the gateway to connect to private servers.
 */
async function createClientOfGateway(
  schemes: CommandSchemes,
  optionValues: OptionValues,
  io: CliIo,
): Promise<Client> {
  const { allowPorts, gateways, cachePath, ...settings } = readCommandSettings(optionValues, io);
  const { proxy, allowProxyResolution } = settings.proxyChoice;
  const options: ClientOptions = {
    schemes: await schemes.createGatewaySchemes(settings),
    policy: publicInternet({ allowPorts, allowProxyResolution }),
    proxy,
    gateways,
    cache: cachePath === undefined ? undefined : sqliteCache(cachePath, { shared: true }),
  };
  const host = io.tsyringeContainer;
  if (!host) return createClient(options);
  const { resolveGatewayOptionsFromTsyringe } = await import("../client/dependency-container-client.ts");
  return createClient({ ...options, ...resolveGatewayOptionsFromTsyringe(host) });
}

function parsePort(text = "8070"): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new UsageError("--port needs a port from 0 to 65535", "gateway");
  return port;
}
