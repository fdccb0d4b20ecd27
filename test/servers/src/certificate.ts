import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./programs/run-command.ts";

/** The files of a fresh self-signed certificate. */
export interface CertificateFiles {
  /** The certificate, in PEM. */
  readonly certificate: string;
  /** Its private key, in PEM, readable only for its owner. */
  readonly key: string;
}

// A complete configuration, because an extracted openssl has none.
const request = `[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = localhost
[extensions]
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
basicConstraints = critical, CA:TRUE
`;

/** Returns the paths of the files that `createCertificate` writes. */
export function listCertificateFiles(directory: string): CertificateFiles {
  return { certificate: join(directory, "certificate.pem"), key: join(directory, "key.pem") };
}

/** Creates a certificate for localhost, 127.0.0.1 and ::1 that is valid for 30 days. */
export async function createCertificate(
  openssl: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<CertificateFiles> {
  const files = listCertificateFiles(directory);
  const config = join(directory, "certificate.cnf");
  await writeFile(config, request);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const output = ["-keyout", files.key, "-out", files.certificate];
  await runCommand(openssl, ["req", "-x509", "-config", config, "-days", "30", ...newKey, ...output], {
    environment,
  });
  await chmod(files.key, 0o600);
  return files;
}
