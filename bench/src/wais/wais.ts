import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { createClient, DEFAULT_LIMITS, anyAddress } from "@anyscheme/core";
import { decodeSearchResponse, decodeWpath, wais } from "@anyscheme/scheme-others/wais";
import { comparisonTable, type Contender, runRounds } from "../measure/rounds.ts";
import { headerRecord, retrieval, searchResponse, servedDocument, textRecord } from "./messages.ts";

const ROUNDS = 15;
const CHUNK_BYTES = 10_000;
const DOCUMENT_BYTES = servedDocument.length;
const HITS = 200;
/** Bytes decoded in one run. */
const DECODED_BYTES = 64_000_000;
/** Documents fetched in one run. */
const FETCHES = 8;

const RAW = "raw loop";
const OURS = "client";
/** The minimum speed, as a fraction of the speed of the raw loop. */
const LEAST = 0.9;

/**
 * Measures the decoders from memory. Compares the transfer of 1 MiB in chunks with a loop of the same exchanges.
 */
export async function run(): Promise<void> {
  const text = searchResponse(textRecord(Buffer.alloc(CHUNK_BYTES, "a line of text\n")));
  const hits = searchResponse(...Array.from({ length: HITS }, (_, index) => headerRecord(index)));
  const decoders = [
    decoder("a text of 10 000 bytes", text, ({ texts }) => texts[0]?.length ?? 0),
    decoder(`${HITS} headers`, hits, ({ headers }) => headers.length),
  ];
  write(comparisonTable(await runRounds(decoders, ROUNDS), "a text of 10 000 bytes"));

  const server = fork(fileURLToPath(new URL("./server.js", import.meta.url)));
  try {
    const [port] = (await once(server, "message")) as [number];
    await using client = createClient({
      schemes: [wais()],
      policy: anyAddress({ allowPorts: { wais: [port] } }),
    });
    const fetchByClient = async (): Promise<number> => {
      const found = await client.dereference(`wais://127.0.0.1:${port}/d/TEXT/${wpath}`, {
        chunkBytes: CHUNK_BYTES,
      });
      return found.kind === "content" ? (await found.bytes()).length : 0;
    };
    const fetchers = [
      { name: RAW, amount: FETCHES * DOCUMENT_BYTES, run: () => times(() => fetchRaw(port)) },
      { name: OURS, amount: FETCHES * DOCUMENT_BYTES, run: () => times(fetchByClient) },
    ];
    const results = await runRounds(fetchers, ROUNDS);
    write(comparisonTable(results, RAW));
    const [raw, ours] = results;
    const ratio = (ours?.speed ?? 0) / (raw?.speed ?? Infinity);
    write(`client ÷ raw loop: ${ratio.toFixed(2)}; goal ${LEAST} ${ratio >= LEAST ? "reached" : "MISSED"}`);
  } finally {
    server.kill();
  }
}

function decoder(
  name: string,
  apdu: Uint8Array,
  count: (response: ReturnType<typeof decodeSearchResponse>) => number,
): Contender {
  const turns = Math.ceil(DECODED_BYTES / apdu.length);
  return {
    name,
    amount: turns * apdu.length,
    goal: 100,
    run() {
      let found = 0;
      for (let turn = 0; turn < turns; turn++) found += count(decodeSearchResponse(apdu, DEFAULT_LIMITS));
      return found;
    },
  };
}

const wpath = `${DOCUMENT_BYTES}/1=host%3A210;2=db/d;3=0%200%20/srv/library/wais/docs/long.txt;7=%00;`;
const DOCUMENT_ID = decodeWpath(wpath).id;

/** Performs only the exchanges, without guard or plan. Reads only the length of a response. */
async function fetchRaw(port: number): Promise<number> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  const parts: Uint8Array[] = [];
  for (let start = 0; start < DOCUMENT_BYTES; start += CHUNK_BYTES) {
    const end = Math.min(start + CHUNK_BYTES, DOCUMENT_BYTES);
    parts.push(await askRaw(socket, retrieval(DOCUMENT_ID, start, end), end - start));
  }
  socket.destroy();
  return Buffer.concat(parts).length;
}

/** Resolves to the last bytes of the response, which are the text. */
function askRaw(socket: Socket, request: Uint8Array, textBytes: number): Promise<Uint8Array> {
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

async function times(fetch: () => Promise<number>): Promise<number> {
  let bytes = 0;
  for (let turn = 0; turn < FETCHES; turn++) bytes += await fetch();
  return bytes;
}

function write(text: string): void {
  process.stdout.write(`\n${text}\n`);
}
