import type { LoopbackAddress } from "./loopback.ts";
import type { TestProgramName } from "./programs/server-dependencies.ts";

/** A real server program that runs on a loopback port until it is stopped. */
export interface RunningServer extends AsyncDisposable {
  readonly name: TestProgramName;
  readonly address: LoopbackAddress;
  readonly port: number;
  /** The id of the process that listens. This process has ended when `stop()` resolves. */
  readonly pid: number;
  /** The temporary directory with the server's configuration and logs. */
  readonly directory: string;
  /** The server's document root. All users of the machine must be able to read the files in this folder. */
  readonly root: string;
  /** Stops the server, ends its sessions, and removes its directory. Further calls do nothing. */
  stop(): Promise<void>;
}
