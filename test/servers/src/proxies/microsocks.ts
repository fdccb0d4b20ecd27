import { launchServer } from "../daemon/launch-server.ts";
import { requireServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";
import { sendAndReceiveFirstBytes } from "../daemon/send-and-receive-first-bytes.ts";
import type { TestProxyServerOptions } from "./tinyproxy.ts";

/**
 * Starts microsocks, a SOCKS5 proxy, on a free loopback port.
 *
 * @throws Error when microsocks is missing or does not start.
 */
export async function startMicrosocks({ login }: TestProxyServerOptions = {}): Promise<RunningServer> {
  const program = requireServerProgramFiles("microsocks");
  const { server } = await launchServer({
    name: "microsocks",
    address: "127.0.0.1",
    documentRootFiles: {},
    prepare: ({ port }) =>
      Promise.resolve({
        program: program.path("microsocks"),
        args: [
          "-i",
          "127.0.0.1",
          "-p",
          String(port),
          ...(login ? ["-u", login.user, "-P", login.password] : []),
        ],
        environment: program.environment,
      }),
    // microsocks logs nothing when it listens. The readiness check offers the SOCKS5 methods "no authentication" and
    // "password", and microsocks answers with one of them.
    isReady: async ({ port }) =>
      (await sendAndReceiveFirstBytes(port, "\x05\x02\x00\x02")).startsWith("\x05"),
  });
  return server;
}
