/** A Prospero reply in ARDP packets, and the preceding reply about the object's attributes. */
export interface ProsperoReplyPackets {
  readonly objectInfoReply: Uint8Array;
  readonly packets: readonly Uint8Array[];
  /** The size of the Prospero reply without the ARDP packet headers, in bytes. */
  readonly messageBytes: number;
}

const PACKET_DATA_BYTES = 1_250;
const WINDOW_PACKETS = 16;

const CONTENTS_ACCESS_METHOD =
  "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n";

/** Returns a reply with directory links in the format of the Prospero server PreAlpha.5.3. */
export function createDirectoryLinksReply(count: number, attributes: boolean): ProsperoReplyPackets {
  const lines = Array.from({ length: count }, (_, index) => {
    const name = `item-${String(index).padStart(4, "0")}.txt`;
    const link = `LINK  L FILE ${name} INTERNET-D LOCALHOST(15250) ASCII '/srv/library/prospero/tree/thousand/${name}' 0\n`;
    return attributes ? `${link}${formatLinkAttributes(index)}` : link;
  });
  return createReplyInPackets("FAILURE NOT-FOUND\n", lines.join(""));
}

function formatLinkAttributes(size: number): string {
  return (
    `ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE ${size}' bytes'\n` +
    "ATTRIBUTE OBJECT INTRINSIC NATIVE-OWNER SEQUENCE root\n" +
    "ATTRIBUTE OBJECT INTRINSIC NATIVE-GROUP SEQUENCE root\n" +
    "ATTRIBUTE OBJECT INTRINSIC LAST-MODIFIED SEQUENCE 20261120204018Z\n" +
    "ATTRIBUTE OBJECT INTRINSIC UNIX-MODES SEQUENCE -rw-r--r--\n" +
    `${CONTENTS_ACCESS_METHOD}ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE LOCAL '' '' '' ''\n`
  );
}

/** Returns a reply with the contents of a file that has an apostrophe in every line. */
export function createFileContentsReply(bytes: number): ProsperoReplyPackets {
  const line = "a line of a text that isn't long\n";
  const text = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return createReplyInPackets(
    CONTENTS_ACCESS_METHOD,
    `ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA ${quoted}\n`,
  );
}

function createReplyInPackets(info: string, text: string): ProsperoReplyPackets {
  const message = Buffer.from(text);
  const total = Math.floor(message.length / PACKET_DATA_BYTES) + 1;
  const packets = Array.from({ length: total }, (_, index) => {
    const number = index + 1;
    const asks = number % WINDOW_PACKETS === 0 && number < total;
    const header = Buffer.alloc(asks ? 12 : 9);
    header[0] = header.length;
    header.writeUInt16BE(number, 3);
    header.writeUInt16BE(total, 5);
    header.writeUInt16BE(1, 7);
    if (asks) header[11] = 0x80;
    return Buffer.concat([header, message.subarray(index * PACKET_DATA_BYTES, number * PACKET_DATA_BYTES)]);
  });
  return {
    objectInfoReply: Buffer.concat([Buffer.of(3, 0, 0), Buffer.from(info)]),
    packets,
    messageBytes: message.length,
  };
}
