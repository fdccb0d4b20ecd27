import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import type { DirectoryEntry } from "@anyscheme/core";
import type { AccessContext, DatagramSocket, ByteSource } from "@anyscheme/core/plugin";
import { decodeProsperoListing, prospero } from "@anyscheme/scheme-others/prospero";
import {
  createFileContentsReply,
  createDirectoryLinksReply,
  type ProsperoReplyPackets,
} from "./reply-packets.ts";
import { repeatTaskAndSumResults } from "../measure/measure-own-process.ts";
import {
  formatSpeedTable,
  type SpeedBenchmark,
  measureBenchmarkSpeeds,
} from "../measure/interleaved-rounds.ts";

const PROSPERO_LIMITS = mergeDefaultLimitsOfSchemes([prospero()]);

const BENCHMARK_ROUNDS = 9;
/** The number of bytes of Prospero replies that a benchmark decodes in one run. */
const DECODED_BYTES_PER_RUN = 4_000_000;
const COPY_BENCHMARK_NAME = "copy of the packet data";

const prosperoScheme = prospero();
const prosperoUrl = prosperoScheme.syntax.parse("prospero://127.0.0.1//x");

/**
 * Measures the decoding of Prospero replies in memory. The measured decoding includes ARDP packets, quoting, and the
 * conversion to entries or bytes.
 */
export async function runProsperoDecodingBenchmark(): Promise<void> {
  const plain = createDirectoryLinksReply(1_000, false);
  const attributed = createDirectoryLinksReply(1_000, true);
  const contents = createFileContentsReply(1_000_000);
  const benchmarks: SpeedBenchmark[] = [
    {
      name: COPY_BENCHMARK_NAME,
      unitsPerRun: chooseRepetitions(contents) * contents.messageBytes,
      run: () =>
        repeatTaskAndSumResults(() => Buffer.concat(contents.packets).length, {
          repetitions: chooseRepetitions(contents),
          concurrency: 1,
        }),
    },
    createDecoderBenchmark("1 000 links", plain),
    createDecoderBenchmark("1 000 links with attributes", attributed),
    createRequestBenchmark("1 000 links, by a request", plain, countEntries),
    createRequestBenchmark("1 000 links with attributes, by a request", attributed, countEntries),
    createRequestBenchmark(
      "1 000 links with attributes, by a request that reads sizes and dates",
      attributed,
      countEntriesWithSize,
    ),
    createRequestBenchmark("contents of 1 000 000 bytes, by a request", contents, countSourceBytes),
  ];
  process.stdout.write(
    `\n${formatSpeedTable(await measureBenchmarkSpeeds(benchmarks, BENCHMARK_ROUNDS), COPY_BENCHMARK_NAME)}\n`,
  );
  for (const [name, reply] of Object.entries({ links: plain, "links with attributes": attributed })) {
    const sent = { datagrams: 0 };
    await performProsperoRequest(reply, sent, countEntries);
    const acknowledgements = sent.datagrams - 2;
    process.stdout.write(
      `1 000 ${name}: ${reply.packets.length} packets, ${acknowledgements} acknowledgements\n`,
    );
  }
}

function chooseRepetitions({ messageBytes: bytes }: ProsperoReplyPackets): number {
  return Math.ceil(DECODED_BYTES_PER_RUN / bytes);
}

type ReplyCounter = (given: {
  entries?: AsyncIterable<DirectoryEntry>;
  source?: ByteSource;
}) => Promise<number>;

/** Creates a benchmark that converts the bytes of a reply to entries, without ARDP packets. */
function createDecoderBenchmark(name: string, reply: ProsperoReplyPackets): SpeedBenchmark {
  const text = Buffer.concat(reply.packets.map((packet) => packet.subarray(packet[0])));
  const listing = { limits: PROSPERO_LIMITS, parseUrl: () => prosperoUrl };
  return {
    name,
    unitsPerRun: chooseRepetitions(reply) * reply.messageBytes,
    speedGoal: 100,
    run: () =>
      repeatTaskAndSumResults(() => decodeProsperoListing(text, listing).length, {
        repetitions: chooseRepetitions(reply),
        concurrency: 1,
      }),
  };
}

/** Creates a benchmark that decodes ARDP packets and their text, and awaits every entry or chunk. */
function createRequestBenchmark(
  name: string,
  reply: ProsperoReplyPackets,
  count: ReplyCounter,
): SpeedBenchmark {
  return {
    name,
    unitsPerRun: chooseRepetitions(reply) * reply.messageBytes,
    run: () =>
      repeatTaskAndSumResults(() => performProsperoRequest(reply, { datagrams: 0 }, count), {
        repetitions: chooseRepetitions(reply),
        concurrency: 1,
      }),
  };
}

/** The empty list of entries of a Prospero object that is not a directory. */
const noEntries: AsyncIterable<DirectoryEntry> = {
  async *[Symbol.asyncIterator]() {
    // No entries.
  },
};

const countEntries: ReplyCounter = async ({ entries = noEntries }) => {
  let count = 0;
  for await (const _ of entries) count++;
  return count;
};

const countEntriesWithSize: ReplyCounter = async ({ entries = noEntries }) => {
  let count = 0;
  for await (const { size, modified } of entries) if (size !== undefined && modified) count++;
  return count;
};

const countSourceBytes: ReplyCounter = async ({ source }) => {
  let bytes = 0;
  await source?.readChunks((piece) => {
    bytes += piece.length;
    return true;
  });
  return bytes;
};

/** Performs one Prospero request with a simulated server in memory. */
async function performProsperoRequest(
  reply: ProsperoReplyPackets,
  sent: { datagrams: number },
  count: ReplyCounter,
): Promise<number> {
  const context = {
    signal: new AbortController().signal,
    limits: PROSPERO_LIMITS,
    redirectChain: [],
    openDatagramSocket: () => Promise.resolve(createProsperoServerInMemory(reply, sent)),
    beginStep: () => undefined,
    trace: () => undefined,
    parse: () => prosperoUrl,
    createContent: (init: object) => init,
    createDirectory: (init: object) => init,
  };
  const plan = prosperoScheme.plan(prosperoUrl, {}, PROSPERO_LIMITS);
  const given: unknown = await prosperoScheme.access(plan, context as unknown as AccessContext, {});
  return count(given as Parameters<ReplyCounter>[0]);
}

/**
 * Creates a server in memory with prepared datagrams: first the reply about the object, then the measured
 * reply.
 */
function createProsperoServerInMemory(
  reply: ProsperoReplyPackets,
  sent: { datagrams: number },
): DatagramSocket {
  let waiting: readonly Uint8Array[] = [];
  let next = 0;
  return {
    send(request) {
      sent.datagrams++;
      const isRequest = request[3] !== 0 || request[4] !== 0;
      if (!isRequest) return Promise.resolve();
      waiting = sent.datagrams === 1 ? [reply.objectInfoReply] : reply.packets;
      next = 0;
      for (const packet of waiting) packet.set(request.subarray(1, 3), 1);
      return Promise.resolve();
    },
    receive: () => Promise.resolve(waiting[next++]),
    close: () => undefined,
  };
}
