// This process runs the Gopher server of the benchmark, which generates its items in memory.
import { createServer, type Socket } from "node:net";

const ITEM = Buffer.alloc(1024, "0123456789abcdef\n");
const BLOCK = Buffer.alloc(1_048_576, "0123456789abcdef\n");
const BLOCKS = 1024;

const ITEMS = 100_000;
const line = (index: number): string =>
  `${index % 5 === 0 ? 1 : 0}Document ${index} of the collection\t/collection/part-${index % 100}/document-${index}.txt\t127.0.0.1\t70\r\n`;
const MENU = Buffer.from(`${Array.from({ length: ITEMS }, (_, index) => line(index)).join("")}.\r\n`);

function writeRepeatedBlock(socket: Socket, count: number): void {
  for (let blocks = count; blocks > 0; blocks--) {
    if (socket.destroyed) return;
    if (!socket.write(BLOCK)) {
      socket.once("drain", () => writeRepeatedBlock(socket, blocks - 1));
      return;
    }
  }
  socket.end();
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => undefined);
  socket.once("data", (request) => {
    if (request.includes("/big")) writeRepeatedBlock(socket, BLOCKS);
    else socket.end(request.includes("/menu") ? MENU : ITEM);
  });
});
server.listen({ host: "127.0.0.1", port: 0, backlog: 1024 }, () => {
  process.send?.(server.address());
});
process.once("disconnect", () => process.exit());
