// This process relays connections with a delay. Usage: relay-process.js PORT DELAY_MS PROTOCOL. See
// start-delaying-relay.ts.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/**
 * The maximum of bytes that the relay delays in one direction of a connection. When so many bytes wait, the relay stops
 * reading from the socket.
 */
const MAX_BYTES_IN_FLIGHT = 32 * 1_048_576;
const LOOPBACK_ADDRESS = "127.0.0.1";

const [port = 0, delayMs = 0] = process.argv.slice(2, 4).map(Number);
const relaysFtp = process.argv[4] === "ftp";

type ChunkRewriter = (chunk: Buffer) => Buffer | Promise<Buffer>;

const keepChunkUnchanged: ChunkRewriter = (chunk) => chunk;

/**
 * Listens for clients and relays their connections to the server. Resolves when the relay accepts
 * connections.
 */
async function startListening(
  serverPort: number,
  rewriteReply: ChunkRewriter,
  maxConnections?: number,
): Promise<Server> {
  let accepted = 0;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (++accepted === maxConnections) server.close();
    void relayConnection(client, serverPort, rewriteReply);
  });
  server.listen({ host: LOOPBACK_ADDRESS, port: 0, backlog: 1_024 });
  await once(server, "listening");
  return server;
}

/** A server sees a new connection 3 delays after the client has begun to connect: SYN, SYN-ACK, ACK. */
async function relayConnection(
  client: Socket,
  serverPort: number,
  rewriteReply: ChunkRewriter,
): Promise<void> {
  client.on("error", () => client.destroy()).pause();
  await delay(3 * delayMs);
  const server = connect({ host: LOOPBACK_ADDRESS, port: serverPort, noDelay: true, allowHalfOpen: true });
  forwardWithDelay(client, server, keepChunkUnchanged);
  forwardWithDelay(server, client, rewriteReply);
}

/** Writes each chunk to the other socket after the delay, in order. */
function forwardWithDelay(from: Socket, to: Socket, rewrite: ChunkRewriter): void {
  let inFlight = 0;
  let written: Promise<unknown> = Promise.resolve();
  from.on("data", (chunk: Buffer) => {
    inFlight += chunk.length;
    if (inFlight > MAX_BYTES_IN_FLIGHT) from.pause();
    const parts = Promise.all([rewrite(chunk), delay(delayMs), written]);
    written = parts.then(([bytes]) => {
      to.write(bytes, () => {
        inFlight -= chunk.length;
        if (inFlight <= MAX_BYTES_IN_FLIGHT) from.resume();
      });
    });
  });
  from.once("end", () => {
    written = Promise.all([written, delay(delayMs)]).then(() => to.end());
  });
  from.on("error", () => to.destroy());
  from.resume();
}

/**
 * Starts a relay for the data port in a reply to EPSV (RFC 2428 §3) or PASV (RFC 959 §4.1.2), and replaces the port in
 * the reply. A chunk of the FTP control connection without a reply to EPSV or PASV is returned unchanged.
 */
async function relayDataPort(chunk: Buffer): Promise<Buffer> {
  const text = chunk.toString("latin1");
  const extended = /^229 .*\(\|\|\|(\d+)\|\)/m.exec(text)?.[1];
  const passive = /^227 .*?((?:\d+,){4})(\d+),(\d+)/m.exec(text);
  if (extended === undefined && !passive) return chunk;
  const dataPort =
    extended === undefined ? Number(passive?.[2]) * 256 + Number(passive?.[3]) : Number(extended);
  const server = await startListening(dataPort, keepChunkUnchanged, 1);
  const relayPort = (server.address() as AddressInfo).port;
  const rewritten =
    extended === undefined
      ? text.replace(/((?:\d+,){4})\d+,\d+/, `$1${relayPort >> 8},${relayPort & 0xff}`)
      : text.replace(/\(\|\|\|\d+\|\)/, `(|||${relayPort}|)`);
  return Buffer.from(rewritten, "latin1");
}

const relayListener = await startListening(port, relaysFtp ? relayDataPort : keepChunkUnchanged);
process.once("disconnect", () => process.exit());
process.send?.((relayListener.address() as AddressInfo).port);
