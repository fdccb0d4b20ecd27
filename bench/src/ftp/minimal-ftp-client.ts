import { writeSync } from "node:fs";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";

/**
 * A minimal FTP client without checks, limits or error handling. The benchmark takes the speed of this minimal client
 * as the upper limit for FTP on Node.js.
 */
export class MinimalFtpClient {
  readonly #control: Socket;
  readonly #buffer: Uint8Array = new Uint8Array(1_048_576);
  #text = "";
  #wake: (() => void) | undefined;

  private constructor(control: Socket) {
    this.#control = control;
    control.setNoDelay(true);
    control.on("data", (bytes) => {
      this.#text += bytes.toString("latin1");
      this.#wake?.();
    });
  }

  static async connectAndLogIn(port: number): Promise<MinimalFtpClient> {
    const bare = new MinimalFtpClient(connect(port, "127.0.0.1"));
    await bare.readReply();
    for (const command of ["USER anonymous", "PASS anonymous@", "CWD small", "TYPE I"])
      await bare.runCommand(command);
    return bare;
  }

  async readReply(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf("\r\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (line[3] === " ") return line;
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  runCommand(command: string): Promise<string> {
    this.#control.write(`${command}\r\n`);
    return this.readReply();
  }

  /**
   * Sends the same commands as our FTP client. SIZE and EPSV are sent together, and RETR is sent before the data
   * connection is open.
   */
  async retrieveFile(name: string, file?: number, first?: () => void): Promise<number> {
    this.#control.write(`SIZE ${name}\r\nEPSV\r\n`);
    await this.readReply();
    const port = Number(/\|(\d+)\|/.exec(await this.readReply())?.[1]);
    let received = 0;
    const buffer = this.#buffer;
    const options = {
      port,
      host: "127.0.0.1",
      onread: {
        buffer,
        callback: (length: number): boolean => {
          if (received === 0) first?.();
          received += length;
          if (file !== undefined) writeSync(file, buffer, 0, length);
          return true;
        },
      },
    } as unknown as TcpNetConnectOpts;
    const data = connect(options);
    const ended = new Promise<void>((resolve) => data.once("end", () => resolve()));
    await this.runCommand(`RETR ${name}`);
    await ended;
    await this.readReply();
    return received;
  }

  close(): void {
    this.#control.destroy();
  }
}
