import { createSocket } from "node:dgram";
import { once } from "node:events";

/** The addresses of a name, an error of the server, or no answer at all. */
export type DnsAnswer = readonly string[] | "NXDOMAIN" | "SERVFAIL" | "silence";

export interface ScriptedDnsServer extends AsyncDisposable {
  /** The address in the form of the option `servers`, as in `127.0.0.1:5353`. */
  readonly address: string;
  /** The queries in the order of their arrival, as in `A good.example`. */
  readonly queries: readonly string[];
}

const RESPONSE_CODES: Readonly<Record<string, number>> = { SERVFAIL: 2, NXDOMAIN: 3 };
const TYPE_NAMES: ReadonlyMap<number, "A" | "AAAA"> = new Map([
  [1, "A"],
  [28, "AAAA"],
]);

/** Starts a DNS server (RFC 1035 §4) on 127.0.0.1 that answers queries for A and AAAA records. */
export async function startScriptedDnsServer(
  answerQuery: (type: "A" | "AAAA", name: string) => DnsAnswer,
): Promise<ScriptedDnsServer> {
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = parseQuestion(query);
    queries.push(`${type} ${name}`);
    const answer = answerQuery(type, name);
    if (answer === "silence") return;
    const records = typeof answer === "string" ? [] : answer.map((text) => encodeAddressRecord(type, text));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (typeof answer === "string" ? (RESPONSE_CODES[answer] ?? 0) : 0), 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

/** Returns the name and the type of the question, and the offset of its end. RFC 1035 §4.1.2. */
function parseQuestion(query: Buffer): {
  readonly name: string;
  readonly type: "A" | "AAAA";
  readonly end: number;
} {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString("latin1", offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return {
    name: labels.join("."),
    type: TYPE_NAMES.get(query.readUInt16BE(offset + 1)) ?? "A",
    end: offset + 5,
  };
}

/** Returns a resource record for the name of the question, with a time to live of 0. RFC 1035 §4.1.3, RFC 3596 §2.2. */
function encodeAddressRecord(type: "A" | "AAAA", address: string): Buffer {
  const data =
    type === "A"
      ? Buffer.from(address.split(".").map(Number))
      : Buffer.from(
          address
            .split(":")
            .map((group) => group.padStart(4, "0"))
            .join(""),
          "hex",
        );
  const head = Buffer.from([0xc0, 12, 0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}
