// This process runs the Gopher server of the benchmark, which generates its items in memory.
import { createServer, type Socket } from "node:net";

const SMALL_ITEM_CONTENT = Buffer.alloc(1024, "0123456789abcdef\n");
const BIG_ITEM_BLOCK = Buffer.alloc(1_048_576, "0123456789abcdef\n");
const BIG_ITEM_BLOCK_COUNT = 1024;

const MENU_ITEM_COUNT = 100_000;
const formatMenuLine = (index: number): string =>
  `${index % 5 === 0 ? 1 : 0}Document ${index} of the collection\t/collection/part-${index % 100}/document-${index}.txt\t127.0.0.1\t70\r\n`;
const GOPHER_MENU = Buffer.from(
  `${Array.from({ length: MENU_ITEM_COUNT }, (_, index) => formatMenuLine(index)).join("")}.\r\n`,
);

function writeRepeatedBlock(socket: Socket, count: number): void {
  for (let blocks = count; blocks > 0; blocks--) {
    if (socket.destroyed) return;
    if (!socket.write(BIG_ITEM_BLOCK)) {
      socket.once("drain", () => writeRepeatedBlock(socket, blocks - 1));
      return;
    }
  }
  socket.end();
}

const gopherServer = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => undefined);
  socket.once("data", (request) => {
    if (request.includes("/big")) writeRepeatedBlock(socket, BIG_ITEM_BLOCK_COUNT);
    else socket.end(request.includes("/menu") ? GOPHER_MENU : SMALL_ITEM_CONTENT);
  });
});
gopherServer.listen({ host: "127.0.0.1", port: 0, backlog: 1024 }, () => {
  process.send?.(gopherServer.address());
});
process.once("disconnect", () => process.exit());
