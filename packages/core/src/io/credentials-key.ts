/**
 * Returns a digest of credentials, which serves as the key of a connection pool. The digest does not reveal the
 * password.
 */
export function createCredentialsKey(parts: readonly unknown[]): string {
  // The function loads `node:crypto` at its first call, because most schemes do not need this module.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
