/** Returns a digest of credentials as a key of the pool. The key contains no password. */
export function credentialsKey(parts: readonly unknown[]): string {
  // Loaded on first use, because most schemes do not need it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
