import { optionKinds as kind, type OptionTable, type ServiceOptions } from "@anyscheme/core/plugin";
import type { AcceptedOption } from "./negotiation.ts";

export interface TelnetOptions {
  /**
   * Telnet options that the service may switch on. Default `["echo", "suppress-go-ahead"]`, as a person at a terminal wants
   * it; for programs that send and receive lines, `[]` leaves the protocol at its plainest. `"binary"` lets all bytes through
   * without the line ends of RFC 854. Terminal type and window size are agreed on when `connect` is told them; all other
   * options are refused.
   */
  readonly accept?: readonly AcceptedOption[] | undefined;
}

export const TELNET_OPTIONS: OptionTable<TelnetOptions> = {
  accept: kind.arrayOf(kind.oneOf("binary", "echo", "suppress-go-ahead"), "Telnet options"),
};

export const SERVICE_OPTIONS: OptionTable<ServiceOptions> = {
  terminalType: kind.string,
  windowSize: kind.options(
    { columns: kind.integer(0), rows: kind.integer(0) },
    "{ columns, rows } with whole numbers",
  ),
  onEcho: kind.callback,
  closeAfterSilenceMs: kind.duration,
};
