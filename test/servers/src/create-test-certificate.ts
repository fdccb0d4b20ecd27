import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readProgramOutput } from "./programs/read-program-output.ts";

/** The paths of a self-signed certificate and its private key. */
export interface CertificateFiles {
  /** The path of the certificate in PEM format. */
  readonly certificatePath: string;
  /** The path of the private key in PEM format. Only the owner can read the private key. */
  readonly keyPath: string;
}

// The configuration is complete, because an openssl that was only unpacked has no default configuration.
const opensslRequestConfig = `[req]
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
export function getCertificateFilePaths(directory: string): CertificateFiles {
  return { certificatePath: join(directory, "certificate.pem"), keyPath: join(directory, "key.pem") };
}

/** Creates a self-signed certificate for localhost, 127.0.0.1 and ::1 that is valid for 30 days. */
export async function createCertificate(
  openssl: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<CertificateFiles> {
  const files = getCertificateFilePaths(directory);
  const config = join(directory, "certificate.cnf");
  await writeFile(config, opensslRequestConfig);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const output = ["-keyout", files.keyPath, "-out", files.certificatePath];
  await readProgramOutput(openssl, ["req", "-x509", "-config", config, "-days", "30", ...newKey, ...output], {
    environment,
  });
  await chmod(files.keyPath, 0o600);
  return files;
}
