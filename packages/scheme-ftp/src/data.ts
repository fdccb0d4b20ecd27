import type { AccessContext, Socket } from "@anyscheme/core";
import { Inflow, pause } from "@anyscheme/core/wire";
import type { Connection } from "./connection.ts";

/** How long a server may take to say why it closes a data connection at once. In milliseconds. */
const GRACE_MS = 500;

/** A data connection, open or being opened. RFC 959 §3.2. */
export interface OpenData {
  /** Rejects when it cannot be opened, and the server has had the time to say why. Else it never settles. */
  failed(): Promise<never>;
  /** The octets that come in. */
  readonly inflow: Promise<Inflow>;
  /** For octets that go out. */
  readonly socket: Promise<Socket>;
  /** Told when the command for the transfer has been sent. */
  commanded(): void;
  /** Gives it up. */
  cancel(): void;
}

/**
 * Opens the data connection to this port of the server. Its TLS begins when the command has been sent: before, one server
 * resets the connection, and others wait for ever.
 */
export function openData(
  connection: Connection,
  context: AccessContext<unknown>,
  port: number,
  host: string,
): OpenData {
  const target = { peerOf: connection.socket, port };
  let commanded = (): void => undefined;
  const { trust } = connection;
  if (!trust) {
    const inflow = Inflow.dial(context, target, connection.buffer);
    const socket = inflow.then((open) => open.socket);
    return opened(inflow, socket, context, () => commanded());
  }
  const command = new Promise<void>((resolve) => {
    commanded = resolve;
  });
  const socket = context.dial(target).then(async (plain) => {
    await command;
    return context.secure(plain, host, { ...trust, sessionOf: connection.socket });
  });
  const inflow = socket.then((open) => Inflow.of(open, context.limits));
  return opened(inflow, socket, context, () => commanded());
}

function opened(
  inflow: Promise<Inflow>,
  socket: Promise<Socket>,
  { signal }: AccessContext<unknown>,
  commanded: () => void,
): OpenData {
  const failed = inflow.then(
    () => new Promise<never>(() => undefined),
    async (error: unknown) => {
      await pause(GRACE_MS, signal);
      throw error;
    },
  );
  failed.catch(() => undefined);
  // Whoever waits for neither of them learns of the failure from the control connection.
  inflow.catch(() => undefined);
  socket.catch(() => undefined);
  const cancel = (): void =>
    void inflow.then(
      (open) => open.cancel(),
      () => undefined,
    );
  return { failed: () => failed, inflow, socket, commanded, cancel };
}
