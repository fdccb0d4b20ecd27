import { spawn } from "node:child_process";
import { win32 } from "node:path";
import { AccessError } from "@anyscheme/core";
import type { MailboxResource } from "@anyscheme/core/plugin";

/** A program and its arguments, which no shell gets to see. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

/** The fields that no mail program takes for an order to do something: `attach` and its like would send files. */
const SAFE_HEADERS: ReadonlySet<string> = new Set([
  "subject",
  "body",
  "to",
  "cc",
  "bcc",
  "keywords",
  "in-reply-to",
]);

/**
 * The mailbox as a mailto URL for others: everything encoded that could mean something to a reader of RFC 6068, to a shell that a
 * handler calls, or to the desktop.
 */
export function toSafeMailto({ address, headers }: MailboxResource): {
  url: string;
  leftOut: readonly string[];
} {
  const fields = headers.filter(([name]) => SAFE_HEADERS.has(name));
  const leftOut = headers.map(([name]) => name).filter((name) => !SAFE_HEADERS.has(name));
  const query = fields.map(([name, value]) => `${name}=${encodeStrictly(value)}`).join("&");
  return { url: `mailto:${encodeStrictly(address)}${query === "" ? "" : `?${query}`}`, leftOut };
}

/** Letters, digits, `-`, `.`, `_` and the `@` are all that stays. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%40", "@");
}

/**
 * How the desktop is asked to open a URL; `undefined` where there is no way known. The URL begins with the name of its scheme and
 * so is never an option; xdg-open takes no `--` before it.
 */
export function urlOpenerFor(
  url: string,
  platform: NodeJS.Platform,
  systemRoot = "C:\\Windows",
): ProgramCall | undefined {
  switch (platform) {
    case "darwin":
      return { program: "/usr/bin/open", args: [url] };
    case "win32":
      // By its path: a program of that name in the current folder would be found first.
      return {
        program: win32.join(systemRoot, "System32", "rundll32.exe"),
        args: ["url.dll,FileProtocolHandler", url],
      };
    case "linux":
    case "freebsd":
    case "openbsd":
    case "netbsd":
    case "sunos":
      return { program: "xdg-open", args: [url] };
    default:
      return undefined;
  }
}

/** Runs the program to its end. Throws `unsupported` when it is not there or fails, and the reason of the signal. */
export function runProgram({ program, args }: ProgramCall, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const refuse = (what: string, cause?: Error): void =>
      reject(new AccessError("unsupported", `no mail program was found: ${program} ${what}`, { cause }));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    const child = spawn(program, args, { stdio: "inherit", shell: false });
    child.once("error", (cause) => refuse("cannot be run", cause));
    child.once("close", (code, killedBy) => {
      signal.removeEventListener("abort", abort);
      if (code === 0) resolve();
      else refuse(`ended with ${killedBy ?? `exit code ${code}`}`);
    });
  });
}
