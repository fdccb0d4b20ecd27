import type { ByteSource } from "@anyscheme/core/plugin";
import type { HttpConnection } from "../../src/connection/connection.ts";

/** A connection that reads from a source, and records for each release whether it can be reused. */
export function fakeConnection(reader: ByteSource): { connection: HttpConnection; releases: boolean[] } {
  const releases: boolean[] = [];
  const connection: Pick<HttpConnection, "release" | "close"> & { reader: ByteSource } = {
    reader,
    release: ({ reusable }) => void releases.push(reusable),
    close: () => reader.cancel(),
  };
  return { connection: connection as unknown as HttpConnection, releases };
}
