import { createReadStream } from "node:fs";
import { TextDecoder } from "node:util";
import { maskPassword } from "../output/mask-password.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** A file that cannot be read. */
export class ReadError extends Error {
  override readonly name = "ReadError";

  constructor(file: string, cause: unknown) {
    const { message, syscall } = cause as NodeJS.ErrnoException;
    // Node adds ", open '/the/path'". Whoever gives a URL for a file shall not see its password here.
    const reason = syscall === undefined ? message : message.replace(/, .*$/s, "");
    super(`cannot read ${maskPassword(file)}: ${reason}`, { cause });
  }
}

/** The encodings of Unicode whose bytes are not those of US-ASCII, by their byte order marks. */
const UTF16_ENCODINGS: readonly (readonly [first: number, second: number, encoding: string])[] = [
  [0xff, 0xfe, "utf-16le"],
  [0xfe, 0xff, "utf-16be"],
];

/**
 * The bytes of a file, or of standard input for `-`, in pieces. Those of UTF-16 with a byte order mark come as UTF-8, all
 * others as they are. Throws `ReadError`.
 */
export async function* readFileChunks(file: string, io: CliIo): AsyncGenerator<Uint8Array, void> {
  let decoder: TextDecoder | undefined;
  const encoder = new TextEncoder();
  for await (const piece of openChunks(file, io)) {
    decoder ??= decoderFor(piece);
    yield decoder.encoding === "utf-8" ? piece : encoder.encode(decoder.decode(piece, { stream: true }));
  }
}

async function* openChunks(file: string, io: CliIo): AsyncGenerator<Uint8Array, void> {
  try {
    yield* file === "-" ? io.stdin : (createReadStream(file) as AsyncIterable<Uint8Array>);
  } catch (error) {
    throw new ReadError(file, error);
  }
}

function decoderFor([first, second]: Uint8Array): TextDecoder {
  const row = UTF16_ENCODINGS.find(([one, other]) => one === first && other === second);
  return new TextDecoder(row?.[2]);
}
