// Node.js loads this module before every example program of the documentation pages. Names that end in ".example"
// resolve to one public address, and "missing.…" does not resolve. A connection to a well-known port of this public
// address goes to a local server of `example-host-servers.ts`. The programs are otherwise unchanged, and use the policy
// that they configure.
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const ADDRESS = "93.184.216.34";
/** @type {Record<string, number>} */
const ports = JSON.parse(process.env["STAGE_PORTS"] ?? "{}");

/** @type {any} */ (dns).lookup = async (/** @type {string} */ name) => {
  if (!name.endsWith(".example") || name.startsWith("missing."))
    throw Object.assign(new Error(`ENOTFOUND ${name}`), { code: "ENOTFOUND" });
  return [{ address: ADDRESS, family: 4 }];
};

const connect = Reflect.get(net.Socket.prototype, "connect");

/** @this {any} @param {any[]} args */
function connectStaged(...args) {
  // `net.connect` calls `Socket.prototype.connect` with a list that begins with the normalized options.
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (options?.host === ADDRESS) {
    Object.assign(options, { host: "127.0.0.1", port: ports[options.port] ?? options.port });
    // The guard checks the address of the peer after connecting.
    const get = () => Reflect.get(net.Socket.prototype, "remoteAddress", this) && ADDRESS;
    Object.defineProperty(this, "remoteAddress", { get });
  }
  return Reflect.apply(connect, this, args);
}

/** @type {any} */ (net.Socket.prototype).connect = connectStaged;
syncBuiltinESMExports();
