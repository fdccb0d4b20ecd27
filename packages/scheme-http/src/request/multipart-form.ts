/**
 * Encodes a form as multipart/form-data. The encoded form refers to the bytes of its files, and does not copy them. The
 * media type states the boundary that separates the fields. RFC 7578.
 * <https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data>
 */
export function encodeMultipartForm(form: FormData): { readonly content: Blob; readonly mediaType: string } {
  const boundary = `----anyscheme-${crypto.randomUUID()}`;
  const parts: (string | Blob)[] = [];
  for (const [name, value] of form) {
    const field = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeFieldName(convertLineEndsToCrLf(name))}"`;
    if (typeof value === "string") {
      parts.push(`${field}\r\n\r\n${convertLineEndsToCrLf(value)}\r\n`);
      continue;
    }
    const type = value.type === "" ? "application/octet-stream" : value.type;
    parts.push(
      `${field}; filename="${escapeFieldName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`,
      value,
      "\r\n",
    );
  }
  parts.push(`--${boundary}--\r\n`);
  return { content: new Blob(parts), mediaType: `multipart/form-data; boundary=${boundary}` };
}

/** Escapes the characters that would end a field name in multipart/form-data. */
function escapeFieldName(name: string): string {
  return name.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
}

function convertLineEndsToCrLf(text: string): string {
  return text.replace(/\r\n?|\n/g, "\r\n");
}
