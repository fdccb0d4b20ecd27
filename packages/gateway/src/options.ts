import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";
import type { AdmissionLimits } from "./admission.ts";

export interface GatewayOptions {
  /** The address to listen at. Default `127.0.0.1`: this machine only. */
  readonly host?: string | undefined;
  /** The port to listen at; 0 for any free one. Default 8070. */
  readonly port?: number | undefined;
  /**
   * Names under which browsers reach the gateway, besides the address it listens at and `localhost`, as in `gw.example`, or
   * `gw.example:8443` where a server in front listens at a port of its own. Forms are taken over `http:` and, from a server in
   * front, `https:`. Requests for other names are refused: a stranger's name may lead here (DNS rebinding). Default: none.
   */
  readonly names?: readonly string[] | undefined;
  /**
   * How many requests are served at a time. Default: 64 pages, 8 of a client, 8 to a host; beside them 32 downloads, 8 of a
   * client, 6 from a host.
   */
  readonly admission?: Partial<AdmissionLimits> | undefined;
  /** Open connections. Default 1 024. */
  readonly maxConnections?: number | undefined;
  /** Text that a page shows of one content, in bytes; the rest is in its raw view. Default 1 MiB. */
  readonly maxTextBytes?: number | undefined;
  /** Bytes of one content in its raw view. Default 1 GiB. */
  readonly maxRawBytes?: number | undefined;
  /** For a request's head, in milliseconds. Default 10 000. */
  readonly headTimeoutMs?: number | undefined;
  /** For a client that does not read what it asked for, in milliseconds. Default 30 000. */
  readonly writeTimeoutMs?: number | undefined;
}

const requests = kind.integer(1, undefined, true);

const admission: OptionTable<AdmissionLimits> = {
  total: requests,
  perClient: requests,
  perHost: requests,
  downloads: requests,
  downloadsPerClient: requests,
  downloadsPerHost: requests,
};

export const GATEWAY_OPTIONS: OptionTable<GatewayOptions> = {
  host: kind.string,
  port: kind.integer(0, 65_535),
  names: kind.arrayOf(kind.string, 'names of hosts, as ["gateway.example"]'),
  admission: kind.options(admission, "limits by name, as { total: 64 }"),
  maxConnections: requests,
  maxTextBytes: kind.positive,
  maxRawBytes: kind.positive,
  headTimeoutMs: kind.timeout,
  writeTimeoutMs: kind.timeout,
};
