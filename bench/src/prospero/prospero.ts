import { defaultLimits } from "@anyscheme/core/plugin";
import type { Entry } from "@anyscheme/core";
import type { AccessContext, DatagramSocket, ByteSource } from "@anyscheme/core/plugin";
import { decodeListing, prospero } from "@anyscheme/scheme-others/prospero";
import { contentsReply, linksReply, type Reply } from "./packets.ts";
import { comparisonTable, type Contender, runRounds } from "../measure/rounds.ts";

const LIMITS = defaultLimits([prospero()]);

const ROUNDS = 9;
/** Bytes decoded in one run. */
const DECODED_BYTES = 4_000_000;
const MEMORY = "copying out of the packets";

const scheme = prospero();
const url = scheme.syntax.parse("prospero://127.0.0.1//x");

/** Decodes replies from memory: ARDP packets, quoting, and the conversion to entries or bytes. */
export async function run(): Promise<void> {
  const plain = linksReply(1_000, false);
  const attributed = linksReply(1_000, true);
  const contents = contentsReply(1_000_000);
  const contenders: Contender[] = [
    {
      name: MEMORY,
      amount: turns(contents) * contents.bytes,
      run: () => repeat(turns(contents), () => Buffer.concat(contents.packets).length),
    },
    decoder("1 000 links", plain),
    decoder("1 000 links with attributes", attributed),
    access("1 000 links, by an access", plain, countEntries),
    access("1 000 links with attributes, by an access", attributed, countEntries),
    access("the same, their sizes and dates read", attributed, countSized),
    access("contents of 1 000 000 bytes, by an access", contents, countBytes),
  ];
  process.stdout.write(`\n${comparisonTable(await runRounds(contenders, ROUNDS), MEMORY)}\n`);
  for (const [name, reply] of Object.entries({ links: plain, "links with attributes": attributed })) {
    const sent = { datagrams: 0 };
    await perform(reply, sent, countEntries);
    const acknowledgements = sent.datagrams - 2;
    process.stdout.write(
      `1 000 ${name}: ${reply.packets.length} packets, ${acknowledgements} acknowledgements\n`,
    );
  }
}

function turns({ bytes }: Reply): number {
  return Math.ceil(DECODED_BYTES / bytes);
}

async function repeat(count: number, work: () => number | Promise<number>): Promise<number> {
  let found = 0;
  for (let turn = 0; turn < count; turn++) found += await work();
  return found;
}

type Count = (given: { entries?: AsyncIterable<Entry>; source?: ByteSource }) => Promise<number>;

/** Decodes only the text, from bytes to entries. */
function decoder(name: string, reply: Reply): Contender {
  const text = Buffer.concat(reply.packets.map((packet) => packet.subarray(packet[0])));
  const listing = { limits: LIMITS, parse: () => url };
  return {
    name,
    amount: turns(reply) * reply.bytes,
    goal: 100,
    run: () => repeat(turns(reply), () => decodeListing(text, listing).length),
  };
}

/** Decodes ARDP packets and their text, with a reader that awaits every entry or chunk. */
function access(name: string, reply: Reply, count: Count): Contender {
  return {
    name,
    amount: turns(reply) * reply.bytes,
    run: () => repeat(turns(reply), () => perform(reply, { datagrams: 0 }, count)),
  };
}

/** An object that is not a directory has no entries. */
const none: AsyncIterable<Entry> = {
  async *[Symbol.asyncIterator]() {
    // No entries.
  },
};

const countEntries: Count = async ({ entries = none }) => {
  let count = 0;
  for await (const _ of entries) count++;
  return count;
};

const countSized: Count = async ({ entries = none }) => {
  let count = 0;
  for await (const { size, modified } of entries) if (size !== undefined && modified) count++;
  return count;
};

const countBytes: Count = async ({ source }) => {
  let bytes = 0;
  await source?.read((piece) => {
    bytes += piece.length;
    return true;
  });
  return bytes;
};

/** Performs one request with a server in memory. */
async function perform(reply: Reply, sent: { datagrams: number }, count: Count): Promise<number> {
  const context = {
    signal: new AbortController().signal,
    limits: LIMITS,
    redirectChain: [],
    datagram: () => Promise.resolve(memory(reply, sent)),
    beginStep: () => undefined,
    trace: () => undefined,
    parse: () => url,
    content: (init: object) => init,
    directory: (init: object) => init,
  };
  const plan = scheme.plan(url, {});
  const given: unknown = await scheme.access(plan, context as unknown as AccessContext, {});
  return count(given as Parameters<Count>[0]);
}

/** A server with prepared datagrams: first the reply about the object, then the reply of the benchmark. */
function memory(reply: Reply, sent: { datagrams: number }): DatagramSocket {
  let waiting: readonly Uint8Array[] = [];
  let next = 0;
  return {
    send(request) {
      sent.datagrams++;
      const isRequest = request[3] !== 0 || request[4] !== 0;
      if (!isRequest) return Promise.resolve();
      waiting = sent.datagrams === 1 ? [reply.info] : reply.packets;
      next = 0;
      for (const packet of waiting) packet.set(request.subarray(1, 3), 1);
      return Promise.resolve();
    },
    receive: () => Promise.resolve(waiting[next++]),
    close: () => undefined,
  };
}
