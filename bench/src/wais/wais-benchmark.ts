import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { createClient, DEFAULT_CORE_LIMITS, anyAddress } from "@anyscheme/core";
import { decodeWaisSearchResponse, decodeWpath, wais } from "@anyscheme/scheme-others/wais";
import { repeatTaskAndSumResults } from "../measure/measure-own-process.ts";
import {
  formatSpeedTable,
  type SpeedBenchmark,
  measureBenchmarkSpeeds,
} from "../measure/interleaved-rounds.ts";
import {
  encodeHeaderRecord,
  encodeRetrievalRequestMessage,
  encodeSearchResponse,
  servedWaisDocument,
  encodeTextRecord,
} from "./encode-wais-messages.ts";
import { printAfterEmptyLine } from "../measure/format-table.ts";

const BENCHMARK_ROUNDS = 15;
const CHUNK_BYTES = 10_000;
const DOCUMENT_BYTES = servedWaisDocument.length;
const SEARCH_HIT_COUNT = 200;
/** The number of bytes of WAIS messages that a benchmark decodes in one run. */
const DECODED_BYTES_PER_RUN = 64_000_000;
/** The number of WAIS documents that a benchmark fetches in one run. */
const DOCUMENTS_PER_RUN = 8;

const BARE_SOCKET_LOOP_NAME = "raw loop";
const CLIENT_BENCHMARK_NAME = "client";
/** The minimum speed of the client, as a fraction of the speed of a loop on a raw socket. */
const MIN_SPEED_RATIO = 0.9;

/**
 * Measures the decoders of WAIS messages in memory. Compares our WAIS client with a loop of the same requests
 * on a raw socket, for a document of 1 MiB.
 */
export async function runWaisBenchmark(): Promise<void> {
  const text = encodeSearchResponse(encodeTextRecord(Buffer.alloc(CHUNK_BYTES, "a line of text\n")));
  const hits = encodeSearchResponse(
    ...Array.from({ length: SEARCH_HIT_COUNT }, (_, index) => encodeHeaderRecord(index)),
  );
  const decoders = [
    createDecoderBenchmark("a text of 10 000 bytes", text, ({ texts }) => texts[0]?.length ?? 0),
    createDecoderBenchmark(`${SEARCH_HIT_COUNT} headers`, hits, ({ headers }) => headers.length),
  ];
  printAfterEmptyLine(
    formatSpeedTable(await measureBenchmarkSpeeds(decoders, BENCHMARK_ROUNDS), "a text of 10 000 bytes"),
  );

  const server = fork(fileURLToPath(new URL("./wais-benchmark-server.js", import.meta.url)));
  try {
    const [port] = (await once(server, "message")) as [number];
    await using client = createClient({
      schemes: [wais()],
      policy: anyAddress({ allowPorts: { wais: [port] } }),
    });
    const fetchByClient = async (): Promise<number> => {
      const found = await client.dereference(`wais://127.0.0.1:${port}/d/TEXT/${documentWpath}`, {
        chunkBytes: CHUNK_BYTES,
      });
      return found.kind === "content" ? (await found.bytes()).length : 0;
    };
    const fetchers = [
      {
        name: BARE_SOCKET_LOOP_NAME,
        unitsPerRun: DOCUMENTS_PER_RUN * DOCUMENT_BYTES,
        run: () =>
          repeatTaskAndSumResults(() => fetchWithRawSocket(port), {
            repetitions: DOCUMENTS_PER_RUN,
            concurrency: 1,
          }),
      },
      {
        name: CLIENT_BENCHMARK_NAME,
        unitsPerRun: DOCUMENTS_PER_RUN * DOCUMENT_BYTES,
        run: () => repeatTaskAndSumResults(fetchByClient, { repetitions: DOCUMENTS_PER_RUN, concurrency: 1 }),
      },
    ];
    const results = await measureBenchmarkSpeeds(fetchers, BENCHMARK_ROUNDS);
    printAfterEmptyLine(formatSpeedTable(results, BARE_SOCKET_LOOP_NAME));
    const [raw, ours] = results;
    const ratio = (ours?.speed ?? 0) / (raw?.speed ?? Infinity);
    printAfterEmptyLine(
      `client ÷ raw loop: ${ratio.toFixed(2)}; goal ${MIN_SPEED_RATIO} ${ratio >= MIN_SPEED_RATIO ? "reached" : "MISSED"}`,
    );
  } finally {
    server.kill();
  }
}

function createDecoderBenchmark(
  name: string,
  apdu: Uint8Array,
  count: (response: ReturnType<typeof decodeWaisSearchResponse>) => number,
): SpeedBenchmark {
  const turns = Math.ceil(DECODED_BYTES_PER_RUN / apdu.length);
  return {
    name,
    unitsPerRun: turns * apdu.length,
    speedGoal: 100,
    run() {
      let found = 0;
      for (let turn = 0; turn < turns; turn++)
        found += count(decodeWaisSearchResponse(apdu, DEFAULT_CORE_LIMITS));
      return found;
    },
  };
}

const documentWpath = `${DOCUMENT_BYTES}/1=host%3A210;2=db/d;3=0%200%20/srv/library/wais/docs/long.txt;7=%00;`;
const DOCUMENT_ID = decodeWpath(documentWpath).id;

/**
 * Fetches the document with a loop of requests on a raw socket. Of each WAIS response, the loop evaluates only the
 * length in the header.
 */
async function fetchWithRawSocket(port: number): Promise<number> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  const parts: Uint8Array[] = [];
  for (let start = 0; start < DOCUMENT_BYTES; start += CHUNK_BYTES) {
    const end = Math.min(start + CHUNK_BYTES, DOCUMENT_BYTES);
    parts.push(
      await sendRawRequest(socket, encodeRetrievalRequestMessage(DOCUMENT_ID, start, end), end - start),
    );
  }
  socket.destroy();
  return Buffer.concat(parts).length;
}

/** Sends a request. Resolves to the last bytes of the response, which are the text. */
function sendRawRequest(socket: Socket, request: Uint8Array, textBytes: number): Promise<Uint8Array> {
  return new Promise((resolve) => {
    let held: Buffer = Buffer.alloc(0);
    const take = (bytes: Buffer): void => {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      if (held.length < 25 || held.length < 25 + Number(held.toString("latin1", 0, 10))) return;
      socket.off("data", take);
      resolve(held.subarray(-textBytes));
    };
    socket.on("data", take);
    socket.write(request);
  });
}
