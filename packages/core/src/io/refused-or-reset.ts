import { AccessError } from "../errors/access-error.ts";

/** Errors by which a server, or its system, turns a connection away. */
const CODES: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE"]);

/** True for a connection that was refused, or reset before its first byte: what some servers do that have too many. */
export function isRefusedOrReset(error: unknown): boolean {
  if (!(error instanceof AccessError) || error.code !== "unavailable") return false;
  return CODES.has((error.cause as NodeJS.ErrnoException | undefined)?.code);
}
