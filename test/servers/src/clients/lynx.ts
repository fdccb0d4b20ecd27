import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { requireServerProgramFiles } from "../programs/locate-server.ts";
import { createTemporaryDirectory, removeTemporaryDirectory } from "../temporary-directory.ts";

export interface LynxOptions {
  /**
   * The HTTP proxies by the scheme of the URL, as in `{ gopher: "http://127.0.0.1:8070/" }`. Default: none.
   */
  readonly proxies?: Readonly<Record<string, string>> | undefined;
  /** The width in characters at which Lynx displays the page. Default 80. */
  readonly columns?: number | undefined;
}

/**
 * Returns a page as Lynx displays it: its text, followed by the targets of its links.
 *
 * @throws Error with the message of Lynx when Lynx cannot load the page within 10 s.
 */
export async function dumpPageWithLynx(
  url: string,
  { proxies = {}, columns = 80 }: LynxOptions = {},
): Promise<string> {
  const program = requireServerProgramFiles("lynx");
  const home = await createTemporaryDirectory("lynx");
  try {
    // Without `-cfg` and `-lss`, Lynx would read the settings in its installation folder.
    const [settings, styles] = [join(home, "lynx.cfg"), join(home, "lynx.lss")];
    const lines = Object.entries(proxies).map(([scheme, proxy]) => `${scheme}_proxy:${proxy}`);
    await writeFile(settings, ["CHARACTER_SET:utf-8", ...lines, ""].join("\n"));
    await writeFile(styles, "");
    const { stdout } = await promisify(execFile)(
      program.path("lynx"),
      [`-cfg=${settings}`, `-lss=${styles}`, `-width=${columns}`, "-dump", "-nopause", url],
      { env: { ...program.environment, HOME: home, TERM: "dumb", LANG: "C.UTF-8" }, timeout: 10_000 },
    );
    return stdout;
  } finally {
    await removeTemporaryDirectory(home);
  }
}
