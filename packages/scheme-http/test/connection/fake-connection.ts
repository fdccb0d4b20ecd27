import type { ByteSource } from "@anyscheme/core/plugin";
import type { HttpConnection } from "../../src/connection/http-connection.ts";

/** Returns a connection that reads from a byte source, and records whether each call of `release` allows its reuse. */
export function createReleaseRecordingConnection(reader: ByteSource): {
  connection: HttpConnection;
  releases: boolean[];
} {
  const releases: boolean[] = [];
  const connection: Pick<HttpConnection, "release" | "close"> & { reader: ByteSource } = {
    reader,
    release: ({ isReusable }) => void releases.push(isReusable),
    close: () => reader.cancel(),
  };
  return { connection: connection as unknown as HttpConnection, releases };
}
