import type { AccessContext } from "@anyscheme/core/plugin";
import { SocketReader, delay } from "@anyscheme/core/io";
import type { Connection } from "../session/pooled-connection.ts";

/** How long a server may take to say why it closes a data connection. In milliseconds. */
export const GRACE_MS = 500;

/** A data connection, open or being opened. RFC 959 §3.2. */
export interface OpenData {
  /** Settles when the connection is open, before its TLS begins. */
  readonly connected: Promise<unknown>;
  /** What comes in, and the socket for what goes out. */
  readonly inflow: Promise<SocketReader>;
  /** Told when the command for the transfer has been sent. */
  commanded(): void;
  /** Gives it up. */
  cancel(): void;
}

/**
 * Opens the data connection to this port of the server. Its TLS begins when the command has been sent: before, one server
 * resets the connection, and others wait for ever. Where it cannot be opened, whoever waits for a reply learns of it when the
 * server has had the time to say why.
 */
export function openData(
  connection: Connection,
  context: AccessContext<unknown>,
  port: number,
  host: string,
): OpenData {
  const target = { samePeerAs: connection.socket, port };
  let commanded = (): void => undefined;
  const { trust } = connection;
  if (!trust) {
    const inflow = SocketReader.connect(context, target);
    return new Opening(connection, context, inflow, inflow, commanded);
  }
  const command = new Promise<void>((resolve) => {
    commanded = resolve;
  });
  const connected = context.connect(target);
  const inflow = connected.then(async (plain) => {
    await command;
    const safe = await context.startTls(plain, host, { ...trust, resumeSessionOf: connection.socket });
    return SocketReader.fromSocket(safe, context.limits);
  });
  return new Opening(connection, context, connected, inflow, commanded);
}

class Opening implements OpenData {
  readonly connected: Promise<unknown>;
  readonly inflow: Promise<SocketReader>;
  readonly commanded: () => void;
  #over = false;

  constructor(
    { control }: Connection,
    context: AccessContext<unknown>,
    connected: Promise<unknown>,
    inflow: Promise<SocketReader>,
    commanded: () => void,
  ) {
    this.connected = connected;
    this.inflow = inflow;
    this.commanded = commanded;
    // Whoever does not wait for it learns of the failure from the control connection.
    inflow.catch(async (error: unknown) => {
      await delay(GRACE_MS, context.signal).catch(() => undefined);
      if (!this.#over) control.interrupt(error);
    });
  }

  cancel(): void {
    this.#over = true;
    this.inflow.then(
      (open) => open.cancel(),
      () => undefined,
    );
  }
}
