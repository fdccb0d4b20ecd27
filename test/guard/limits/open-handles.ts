/** Matches Node's names of the handles that a request may open. */
const NETWORK_HANDLE = /^(?:TCP|TLS|UDP|Pipe|GetAddrInfo|FS|Zlib)/;
/** The maximum of event-loop turns until a closed handle disappears. */
const MAX_TURNS = 50;

/** Returns the kinds of the open sockets, lookups, files and decoders. */
export function openHandles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => NETWORK_HANDLE.test(kind))
    .toSorted();
}

/** Returns the kinds of handles that are still open after closed ones have disappeared. */
export async function remainingHandles(before: readonly string[]): Promise<string[]> {
  for (let turn = 0; turn < MAX_TURNS && openHandles().length > before.length; turn++)
    await new Promise(setImmediate);
  return openHandles();
}
