import { Readable } from "node:stream";
import type { ServiceSessionOptions, ServiceResource, ServiceSession } from "@anyscheme/core";
import {
  type CliIo,
  type CliOutputStream,
  type TerminalStreams,
  writeToOutputStream,
} from "../terminal/cli-io.ts";
import { SafeTextDecoder } from "../terminal/safe-text-decoder.ts";

/** The code of the key Ctrl-], the escape character of telnet(1). */
const ESCAPE_KEY = 0x1d;

/** Returns the value of the environment variable TERM if it is a valid Telnet terminal type. */
export function parseTermVariable(name: string | undefined): string | undefined {
  return name !== undefined && /^[!-~]{1,40}$/.test(name) ? name : undefined;
}

/**
 * Connects the user's terminal to a service until the user or the service closes the connection. Sends single keys
 * in raw mode while the service echoes, and whole lines otherwise. Always restores the terminal.
 */
export async function runInteractiveSession(
  service: ServiceResource,
  { input, output, close }: TerminalStreams,
  terminalType: string | undefined,
  signal: AbortSignal,
): Promise<"service" | "user"> {
  let isRemoteEcho = false;
  const onEcho: ServiceSessionOptions["onEcho"] = (begins) => {
    isRemoteEcho = begins;
    input.setRawMode(begins);
  };
  const { columns, rows } = output;
  const session = await service
    .connect({ terminalType, terminalSize: { columns, rows }, onEcho })
    .catch((error: unknown) => {
      close();
      throw error;
    });
  const screen: CliOutputStream = { stream: output, isTerminal: true, columns };
  let isClosedByUser = false;
  const closeSession = (): void => {
    isClosedByUser = true;
    void session.close();
  };
  const writer = session.writable.getWriter();
  const onInput = (bytes: Buffer): void => {
    const escape = bytes.indexOf(ESCAPE_KEY);
    const typed = escape < 0 ? bytes : bytes.subarray(0, escape);
    // A failed write is ignored, because the read from the closed session reports the error.
    if (typed.length > 0)
      writer.write(isRemoteEcho ? typed : convertLineEnds(typed.toString("latin1"))).catch(() => undefined);
    if (escape >= 0) closeSession();
  };
  const onResize = (): void => session.resize(output.columns, output.rows);
  input.on("data", onInput).once("end", closeSession).resume();
  output.on("resize", onResize);
  try {
    for await (const bytes of session.readable) await writeToOutputStream(screen, bytes, signal);
    return "service";
  } catch (error) {
    if (isClosedByUser && !signal.aborted) return "user";
    throw error;
  } finally {
    input.off("data", onInput).off("end", closeSession).setRawMode(false).pause();
    output.off("resize", onResize);
    close();
  }
}

/**
 * Sends standard input to a service, and writes the data of the service to standard output. Escapes control
 * characters if standard output is a terminal. Resolves to true when the service sent data.
 */
export async function pipeStdioToService(
  service: ServiceResource,
  io: CliIo,
  closeAfterSilenceMs: number | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  await using session = await service.connect({ closeAfterSilenceMs });
  const { stdin, stdout } = io;
  let hasAnswered = false;
  void sendStandardInput(session, stdin);
  try {
    const decoder = stdout.isTerminal ? new SafeTextDecoder() : undefined;
    for await (const bytes of session.readable) {
      hasAnswered = true;
      await writeToOutputStream(stdout, decoder ? decoder.push(bytes) : bytes, signal);
    }
    if (decoder) await writeToOutputStream(stdout, decoder.end(), signal);
    return hasAnswered;
  } finally {
    // An open standard input would prevent the process from exiting.
    if (stdin instanceof Readable) stdin.destroy();
  }
}

async function sendStandardInput({ writable }: ServiceSession, stdin: CliIo["stdin"]): Promise<void> {
  const writer = writable.getWriter();
  const lines = new LfToCrlfConverter();
  try {
    for await (const bytes of stdin) await writer.write(lines.push(bytes));
    await writer.write(lines.end());
    await writer.close();
  } catch {
    // A failed write is ignored, because the read from the closed session reports the error.
  }
}

/**
 * Converts LF to CR LF, the line end of Telnet (RFC 854), in chunks of any size. Keeps a CR at the end of a chunk until
 * the next chunk, because a LF may follow.
 */
export class LfToCrlfConverter {
  #pending = "";

  push(bytes: Uint8Array): Uint8Array {
    const text = this.#pending + Buffer.from(bytes).toString("latin1");
    this.#pending = text.endsWith("\r") ? "\r" : "";
    return convertLineEnds(text.slice(0, text.length - this.#pending.length));
  }

  /** Returns the CR at the end of the last chunk, or no bytes if the chunk ends otherwise. */
  end(): Uint8Array {
    return convertLineEnds(this.#pending);
  }
}

function convertLineEnds(latin1: string): Uint8Array {
  return Buffer.from(latin1.replace(/(?<!\r)\n/g, "\r\n"), "latin1");
}
