import { expect, it } from "vitest";
import { clientOf, onEach, read, urlAt } from "./retrieve-cases.ts";
import { LIMITED_ROWS } from "./servers.ts";

const NAMES = Array.from({ length: 200 }, (_, index) => `${index % 10}.bin`);
const files = Object.fromEntries(NAMES.map((name) => [name, `content of ${name}`]));

onEach(
  "the server limits connections with $setting",
  ["anonymous"],
  (row) => {
    it.each([3, 20, 40])(
      "performs 200 simultaneous requests on a server that accepts %i connections",
      async (connections) => {
        await using server = await row.start({ files, connections });
        await using client = clientOf(server);
        const results = await Promise.all(NAMES.map((name) => read(client, urlAt(server, `/${name}`))));
        expect(results).toEqual(NAMES.map((name) => files[name]));
      },
    );
  },
  LIMITED_ROWS,
);
