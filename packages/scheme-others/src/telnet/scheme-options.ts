import type { CoreLimits, ServiceSessionOptions } from "@anyscheme/core";
import {
  type OptionTable,
  createArrayOptionKind,
  callbackOptionKind,
  millisecondsOptionKind,
  createEnumOptionKind,
  createIntegerOptionKind,
  createOptionsOptionKind,
  stringOptionKind,
} from "@anyscheme/core/plugin";
import type { AcceptableTelnetOption } from "./negotiation.ts";

/** Options of the scheme telnet. */
export interface TelnetSchemeOptions {
  /**
   * The Telnet options that the client accepts. Default `["echo", "suppress-go-ahead"]`, for an interactive terminal.
   * Programs that send and receive lines set `acceptTelnetOptions: []`. `"binary"` transmits all bytes unchanged,
   * without the line ends of RFC 854. The client accepts the Telnet options for terminal type and window size when the
   * caller of `connect` gives their values. The client refuses all other Telnet options.
   */
  readonly acceptTelnetOptions?: readonly AcceptableTelnetOption[] | undefined;
}

export const TELNET_SCHEME_OPTION_KINDS: OptionTable<TelnetSchemeOptions> = {
  acceptTelnetOptions: createArrayOptionKind(
    createEnumOptionKind("binary", "echo", "suppress-go-ahead"),
    "Telnet options",
  ),
};

export const TELNET_CONNECT_OPTION_KINDS: OptionTable<ServiceSessionOptions> = {
  terminalType: stringOptionKind,
  terminalSize: createOptionsOptionKind(
    { columns: createIntegerOptionKind(0), rows: createIntegerOptionKind(0) },
    "{ columns, rows } with whole numbers",
  ),
  onEcho: callbackOptionKind,
  closeAfterSilenceMs: millisecondsOptionKind,
};

/** The limits of a client with the scheme telnet. */
export interface TelnetLimits extends CoreLimits {
  /** The maximum number of the client's answers to option negotiations between two inputs of the user. Default 64. */
  readonly maxOptionChanges: number;
  /** The maximum size of the parameters of a subnegotiation in bytes. Default 4 096. */
  readonly maxSubnegotiationBytes: number;
  /** The maximum time in which neither side of a session sends bytes, in milliseconds. Default 600 000. */
  readonly interactiveIdleTimeoutMs: number;
}

declare module "@anyscheme/core" {
  interface ClientLimits extends TelnetLimits {}
}

/** The limits that the scheme telnet declares. */
export const DEFAULT_TELNET_LIMITS: Readonly<Record<Exclude<keyof TelnetLimits, keyof CoreLimits>, number>> =
  {
    maxOptionChanges: 64,
    maxSubnegotiationBytes: 4_096,
    interactiveIdleTimeoutMs: 600_000,
  };
