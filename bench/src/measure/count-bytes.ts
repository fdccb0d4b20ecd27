/** Reads a body into one buffer, which is reused for each chunk, and returns the number of bytes. */
export async function countBytesInReusedBuffer(
  body: ReadableStream<Uint8Array>,
  bufferBytes: number,
): Promise<number> {
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(bufferBytes);
  let count = 0;
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return count;
    count += value.length;
    buffer = value.buffer;
  }
}
