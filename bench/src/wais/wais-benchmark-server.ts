// This process runs the WAIS server of the benchmark. The server serves one document, and sends its port to
// the parent process.
import { type AddressInfo, createServer } from "node:net";
import {
  encodeWaisMessage,
  encodeSearchResponse,
  servedWaisDocument,
  encodeTextRecord,
} from "./encode-wais-messages.ts";

/**
 * The WAIS responses that this benchmark server has encoded. The WAIS server sends an encoded response again to later
 * equal requests, so that encoding adds little to the measured time.
 */
const responsesByRequest = new Map<string, Buffer>();

/** Returns the response to a request for a range of the document's bytes. */
function createRetrievalResponse(request: string): Buffer {
  const terms = Array.from(request.matchAll(/wb r[ol] ig ig ig ig-.(\d+)/gs), ([, digits]) => Number(digits));
  const [start, end] = terms;
  const key = `${start} ${end}`;
  const known =
    responsesByRequest.get(key) ??
    encodeWaisMessage(encodeSearchResponse(encodeTextRecord(servedWaisDocument.subarray(start, end))));
  responsesByRequest.set(key, known);
  return known;
}

const waisServer = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => socket.write(createRetrievalResponse(bytes.toString("latin1"))));
});
process.once("disconnect", () => process.exit());
waisServer.listen(0, "127.0.0.1", () => process.send?.((waisServer.address() as AddressInfo).port));
