import { join } from "node:path";
import type { CertificateFiles } from "../create-test-certificate.ts";
import type { LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { loopbackHasIpv6 } from "../loopback.ts";
import { createNginxLocations } from "./nginx-location-blocks.ts";

/** The files that nginx reads and writes in its directory. */
export interface NginxPaths {
  readonly config: string;
  readonly pid: string;
  readonly errorLog: string;
  readonly requestLog: string;
  readonly passwords: string;
}

/** Returns the paths of the files of an nginx server in `directory`. */
export function getNginxFilePaths(directory: string): NginxPaths {
  const at = (name: string): string => join(directory, name);
  return {
    config: at("nginx.conf"),
    pid: at("nginx.pid"),
    errorLog: at("error.log"),
    requestLog: at("wire.log"),
    passwords: at("passwords"),
  };
}

const nginxLogFields: Readonly<Record<string, string>> = {
  clientPort: "$remote_port",
  request: "$request",
  status: "$status",
  host: "$http_host",
  authorization: "$http_authorization",
  range: "$http_range",
  cookie: "$http_cookie",
  referer: "$http_referer",
  userAgent: "$http_user_agent",
  tls: "$ssl_protocol",
};

const suffixByMediaType: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/html": "html",
  "application/octet-stream": "bin",
};

const listenAddresses = ["127.0.0.1", ...(loopbackHasIpv6 ? ["[::1]"] : [])];

function formatNginxBlock(name: string, lines: readonly string[]): string {
  return `${name} {\n${lines.map((line) => (line.endsWith("}") ? line : `${line};`)).join("\n")}\n}`;
}

/** Returns the text of nginx.conf. */
export function formatNginxConfig(
  { directory, documentRoot: root, port, secondPort }: LaunchDirectoryAndPorts,
  certificate: CertificateFiles,
  echoModule: string,
): string {
  const paths = getNginxFilePaths(directory);
  const temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path "${directory}/temporary-${kind}"`,
  );
  const locations = createNginxLocations(root, paths.passwords).map(({ pattern, directives }) =>
    formatNginxBlock(`location ${pattern}`, directives),
  );
  const server = formatNginxBlock("server", [
    ...listenAddresses.map((address) => `listen ${address}:${port}`),
    ...listenAddresses.map((address) => `listen ${address}:${secondPort} ssl`),
    `ssl_certificate "${certificate.certificatePath}"`,
    `ssl_certificate_key "${certificate.keyPath}"`,
    "ssl_protocols TLSv1.2 TLSv1.3",
    "server_name localhost",
    `root "${root}"`,
    ...locations,
  ]);
  const logFormat = Object.entries(nginxLogFields).map(([name, variable]) => `"${name}":"${variable}"`);
  const http = formatNginxBlock("http", [
    formatNginxBlock(
      "types",
      Object.entries(suffixByMediaType).map(([type, suffix]) => `${type} ${suffix}`),
    ),
    "default_type application/octet-stream",
    `log_format wire escape=json '{${logFormat.join(",")}}'`,
    `access_log "${paths.requestLog}" wire`,
    ...temporaryPaths,
    "server_tokens off",
    "sendfile on",
    "keepalive_timeout 20s",
    "absolute_redirect off",
    "merge_slashes off",
    server,
  ]);
  // Without `user root`, the workers of an nginx that root starts would change to a user that may not exist.
  const user = process.getuid?.() === 0 ? ["user root"] : [];
  const main = [
    `load_module "${echoModule}"`,
    "daemon off",
    "worker_processes 1",
    `pid "${paths.pid}"`,
    `error_log "${paths.errorLog}" info`,
    ...user,
  ];
  return [
    ...main.map((line) => `${line};`),
    formatNginxBlock("events", ["worker_connections 256"]),
    http,
    "",
  ].join("\n");
}
