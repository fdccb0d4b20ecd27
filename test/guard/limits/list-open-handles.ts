/** Matches the names that Node.js gives to sockets, lookups, files and decoders. */
const NETWORK_HANDLE_NAME = /^(?:TCP|TLS|UDP|Pipe|GetAddrInfo|FS|Zlib)/;
/** The maximum number of turns of the event loop until Node.js stops listing a closed handle. */
const MAX_EVENT_LOOP_TURNS = 50;

/** Returns the names of the open sockets, lookups, files and decoders of this process. */
export function listOpenHandles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => NETWORK_HANDLE_NAME.test(kind))
    .toSorted();
}

/** Waits until Node.js stops listing closed handles, and returns the names of the open ones. */
export async function listOpenHandlesAfterWait(before: readonly string[]): Promise<string[]> {
  for (let turn = 0; turn < MAX_EVENT_LOOP_TURNS && listOpenHandles().length > before.length; turn++)
    await new Promise(setImmediate);
  return listOpenHandles();
}
