import { Readable } from "node:stream";
import type { ServiceOptions, ServiceResource, ServiceSession } from "@anyscheme/core/plugin";
import { SafeTextDecoder } from "../terminal/safe-text-decoder.ts";
import { type CliIo, type Output, type Terminal, write } from "../terminal/cli-io.ts";

/** Ctrl-], as in other telnet clients: no service needs it. */
const ESCAPE_KEY = 0x1d;
const CR = 0x0d;
const LF = 0x0a;

/** What is told of the terminal's type: the environment's word, where it is one. */
export function validTerminalType(name: string | undefined): string | undefined {
  return name !== undefined && /^[!-~]{1,40}$/.test(name) ? name : undefined;
}

/**
 * Connects a person's terminal to a service until either ends it. As long as the service echoes, keys go out one by one and the
 * terminal shows nothing by itself; else it works by the line. It is left as it was, whatever happens.
 */
export async function runInteractiveSession(
  service: ServiceResource,
  { input, output, close }: Terminal,
  type: string | undefined,
  signal: AbortSignal,
): Promise<"service" | "user"> {
  let echoes = false;
  const echo: ServiceOptions["onEcho"] = (begins) => {
    echoes = begins;
    input.setRawMode(begins);
  };
  const { columns, rows } = output;
  const session = await service
    .connect({ terminalType: type, windowSize: { columns, rows }, onEcho: echo })
    .catch((error: unknown) => {
      close();
      throw error;
    });
  const screen: Output = { stream: output, isTerminal: true, columns };
  let left = false;
  const leave = (): void => {
    left = true;
    void session.close();
  };
  const writer = session.writable.getWriter();
  const typed = (bytes: Buffer): void => {
    const escape = bytes.indexOf(ESCAPE_KEY);
    const kept = escape < 0 ? bytes : bytes.subarray(0, escape);
    // What cannot be sent any more is told by the side that reads.
    if (kept.length > 0) writer.write(echoes ? kept : lfToCrlf(kept)).catch(() => undefined);
    if (escape >= 0) leave();
  };
  const resized = (): void => session.resize(output.columns, output.rows);
  input.on("data", typed).once("end", leave).resume();
  output.on("resize", resized);
  try {
    for await (const bytes of session.readable) await write(screen, bytes, signal);
    return "service";
  } catch (error) {
    if (left && !signal.aborted) return "user";
    throw error;
  } finally {
    input.off("data", typed).off("end", leave).setRawMode(false).pause();
    output.off("resize", resized);
    close();
  }
}

/**
 * Sends what standard input holds, and writes what the service sends; on a terminal without what it could do there. Returns whether the
 * service has sent anything.
 */
export async function pipeSession(
  service: ServiceResource,
  io: CliIo,
  closeAfterSilenceMs: number | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  await using session = await service.connect({ closeAfterSilenceMs });
  const { stdin, stdout } = io;
  let answered = false;
  void sendAll(session, stdin);
  try {
    const readable = stdout.isTerminal ? new SafeTextDecoder() : undefined;
    for await (const bytes of session.readable) {
      answered = true;
      await write(stdout, readable ? readable.push(bytes) : bytes, signal);
    }
    if (readable) await write(stdout, readable.end(), signal);
    return answered;
  } finally {
    // Waiting for more to send would keep the process alive.
    if (stdin instanceof Readable) stdin.destroy();
  }
}

async function sendAll({ writable }: ServiceSession, stdin: CliIo["stdin"]): Promise<void> {
  const writer = writable.getWriter();
  try {
    for await (const bytes of stdin) await writer.write(lfToCrlf(bytes));
    await writer.close();
  } catch {
    // The service has ended first, which whoever reads it learns as well.
  }
}

/** RFC 854: the end of a line is CR LF; in files and on terminals it is LF alone. */
export function lfToCrlf(bytes: Uint8Array): Uint8Array {
  const ends = bytes.reduce((count, byte) => count + (byte === LF ? 1 : 0), 0);
  if (ends === 0) return bytes;
  const lines = new Uint8Array(bytes.length + ends);
  let length = 0;
  bytes.forEach((byte, index) => {
    if (byte === LF && bytes[index - 1] !== CR) lines[length++] = CR;
    lines[length++] = byte;
  });
  return lines.subarray(0, length);
}
