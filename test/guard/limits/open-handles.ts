/** What an access may open, as Node names it. */
const OPENED = /^(?:TCP|TLS|UDP|Pipe|GetAddrInfo|FS|Zlib)/;
/** Turns of the event loop within which a closed handle is gone. */
const TURNS = 50;

/** The handles of sockets, look-ups, files and decoders that are open now, by their kinds. */
export function openHandles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => OPENED.test(kind))
    .toSorted();
}

/** The same, when what has been closed is gone. */
export async function handlesLeft(before: readonly string[]): Promise<string[]> {
  for (let turn = 0; turn < TURNS && openHandles().length > before.length; turn++)
    await new Promise(setImmediate);
  return openHandles();
}
