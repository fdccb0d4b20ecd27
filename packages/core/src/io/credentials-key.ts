/** Returns a digest of credentials, by which a pool separates connections. No password stays in memory for it. */
export function credentialsKey(parts: readonly unknown[]): string {
  // Loaded at the first use: most schemes never need it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
