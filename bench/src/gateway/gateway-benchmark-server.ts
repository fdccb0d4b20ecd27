// This process runs a server of the benchmark: the gateway, or a minimal HTTP server with the same task.
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createClient, anyAddress } from "@anyscheme/core";
import { startGateway } from "@anyscheme/gateway";
import { gopher } from "@anyscheme/scheme-gopher";
import { readPeakMemoryKiB } from "../measure/peak-memory.ts";

const [kind = "", portText = "", total = "1000"] = process.argv.slice(2);
const gopherPort = Number(portText);

/**
 * Starts a minimal HTTP server without checks or limits. The HTTP server sends the bytes that it receives
 * from the Gopher server as the response body.
 */
async function startMinimalHttpServer(): Promise<number> {
  const server = createServer((request, response) => {
    const selector = (request.url ?? "").replace(/^.*\/9/, "");
    const socket = connect(gopherPort, "127.0.0.1", () => socket.write(`${selector}\r\n`));
    response.writeHead(200, { "content-type": "text/plain" });
    socket.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function startAnyschemeGateway(): Promise<number> {
  const client = createClient({
    schemes: [gopher()],
    policy: anyAddress({ allowPorts: { gopher: [gopherPort] } }),
    limits: { maxConnectionsPerHost: Infinity },
  });
  // The benchmark raises the limits per client and per host, since all requests have the same client and
  // host.
  const requests = Number(total);
  return (
    await startGateway(client, {
      port: 0,
      maxConnectionsPerClient: 10_000,
      concurrency: {
        pages: requests,
        pagesPerClient: requests,
        pagesPerHost: requests,
        downloads: requests,
        downloadsPerClient: requests,
        downloadsPerHost: requests,
      },
    })
  ).port;
}

const listeningPort = await (kind === "bare" ? startMinimalHttpServer() : startAnyschemeGateway());
process.on("message", () => void process.send?.({ mostMiB: readPeakMemoryKiB() / 1024 }));
process.once("disconnect", () => process.exit());
process.send?.({ port: listeningPort });
