import { connect, createServer } from "node:net";
import type { Plan } from "../scheme/plan.ts";
import { listenOnLoopback, type LoopbackServer } from "./loopback.ts";

/** Starts a proxy for a server on this machine that records the bytes in both directions. */
export function startRecordingProxy(
  port: number,
  options: { address?: string } = {},
): Promise<LoopbackServer> {
  const address = options.address ?? "127.0.0.1";
  return listenOnLoopback(
    createServer({ allowHalfOpen: true, noDelay: true }),
    address,
    (client, recording) => {
      const server = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
      client.on("data", (bytes: Buffer) => recording.addReceived(bytes)).pipe(server);
      server.on("data", (bytes: Buffer) => recording.addSent(bytes)).pipe(client);
      server.on("error", () => client.destroy()).once("close", () => client.destroySoon());
      client.once("close", () => server.destroy());
    },
  );
}

/** Returns the bytes of the unconditional `send` steps of a plan, in their order. */
export function getPlannedBytes(plan: Plan): Buffer {
  return Buffer.concat(
    plan.steps
      .filter(({ action, onReply: when }) => action === "send" && when === undefined)
      .map(({ bytes }) => bytes ?? new Uint8Array(0)),
  );
}
