// Serves one article, whatever its number, and an overview to whoever asks, in a process of its own.
import { type AddressInfo, createServer } from "node:net";
import { article, overview } from "./nntp-octets.ts";

/** Made before they are asked for: what is measured is the client. */
const answers: Readonly<Record<string, Uint8Array | string>> = {
  CAPABILITIES: "101 list\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n",
  GROUP: "211 10000 1 10000 bench.group\r\n",
  ARTICLE: `220 1 <1@x> article\r\n${article(1, 4096).replaceAll("\n", "\r\n")}.\r\n`,
  OVER: Buffer.concat([Buffer.from("224 overview follows\r\n"), overview(), Buffer.from(".\r\n")]),
};

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.write("200 ready\r\n");
  socket.on("data", (octets) => {
    for (const line of octets.toString("latin1").split("\r\n").slice(0, -1)) {
      socket.write(answers[line.split(" ", 1)[0] ?? ""] ?? "500 what?\r\n");
    }
  });
});
process.once("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
