import { spawn } from "node:child_process";
import { win32 } from "node:path";
import { AccessError, type MailboxResource } from "@anyscheme/core";

/** A program to run without a shell, and its arguments. */
export interface ExternalCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** The header fields of a mailto URL that are safe. A header field such as `attach` could send a file of the user. */
const SAFE_HEADERS: ReadonlySet<string> = new Set([
  "subject",
  "body",
  "cc",
  "bcc",
  "keywords",
  "in-reply-to",
]);

/**
 * Creates the mailto URL for the mail program. Percent-encodes all characters that a mail program, a shell or the
 * desktop could interpret (RFC 6068).
 */
export function toSafeMailto({ recipients, headers }: MailboxResource): {
  url: string;
  removedHeaders: readonly string[];
} {
  // The recipients of a mailto URL already include the addresses of its header fields "to".
  const others = headers.filter(([name]) => name !== "to");
  const fields = others.filter(([name]) => SAFE_HEADERS.has(name));
  const removedHeaders = others.map(([name]) => name).filter((name) => !SAFE_HEADERS.has(name));
  const addresses = recipients.map(({ address }) => percentEncodeStrictly(address)).join(",");
  const query = fields.map(([name, value]) => `${name}=${percentEncodeStrictly(value)}`).join("&");
  return { url: `mailto:${addresses}${query === "" ? "" : `?${query}`}`, removedHeaders };
}

/** Percent-encodes all characters except letters, digits, `-`, `.`, `_` and `@`. */
function percentEncodeStrictly(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%40", "@");
}

/**
 * Returns the program that opens a URL on this platform. Returns `undefined` for an operating system whose program for
 * URLs is unknown. The URL begins with a scheme name, so the program cannot interpret the URL as an option. The program
 * xdg-open does not accept the argument `--`.
 */
export function findProgramToOpenUrl(
  url: string,
  platform: NodeJS.Platform,
  systemRoot = "C:\\Windows",
): ExternalCommand | undefined {
  switch (platform) {
    case "darwin":
      return { program: "/usr/bin/open", args: [url] };
    case "win32":
      // The program has an absolute path, because Windows searches the current folder first.
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

/**
 * Runs a program and waits until the program exits. Rejects with an `AccessError` with the code `unsupported` when
 * the program fails, and with the reason of an aborted signal.
 */
export function runMailProgram({ program, args }: ExternalCommand, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const fail = (reason: string, cause?: Error): void =>
      reject(new AccessError("unsupported", `the mail program failed: ${program} ${reason}`, { cause }));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    const child = spawn(program, args, { stdio: "inherit", shell: false });
    child.once("error", (cause) => fail("cannot be run", cause));
    child.once("close", (code, killedBy) => {
      signal.removeEventListener("abort", abort);
      if (code === 0) resolve();
      else fail(`ended with ${killedBy ?? `exit code ${code}`}`);
    });
  });
}
