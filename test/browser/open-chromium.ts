import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireChromium } from "@anyscheme/servers";
import { type BrowserContext, chromium } from "playwright-core";

/** A Chromium browser with a profile that is deleted on `close`. */
export interface ChromiumBrowser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

export async function openChromium(): Promise<ChromiumBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "anyscheme-"));
  const { path, flags, environment } = requireChromium();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: path,
    args: [...flags],
    env: { ...process.env, ...environment },
  });
  // This timeout is shorter than the timeout of a test, so that the error message names the failed action.
  context.setDefaultTimeout(15_000);
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
