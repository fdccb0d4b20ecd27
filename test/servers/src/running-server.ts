import type { LoopbackAddress } from "./loopback.ts";
import type { ServerName } from "./programs/catalogue.ts";

/** A real server program that answers on a loopback port until it is stopped. */
export interface RunningServer extends AsyncDisposable {
  readonly name: ServerName;
  readonly address: LoopbackAddress;
  readonly port: number;
  /** The process that listens; it is gone once `stop()` has resolved. */
  readonly pid: number;
  /** A throw-away directory with the server's configuration and logs. */
  readonly directory: string;
  /** The folder that is served: put files here, readable for everybody. */
  readonly root: string;
  /** Ends the server and its sessions and removes its directory. May be called again. */
  stop(): Promise<void>;
}
