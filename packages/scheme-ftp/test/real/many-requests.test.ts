import { expect, it } from "vitest";
import { clientOf, onEach, read, urlAt } from "./retrieve-cases.ts";
import { LIMITED_ROWS } from "./servers.ts";

const NAMES = Array.from({ length: 200 }, (_, index) => `${index % 10}.bin`);
const files = Object.fromEntries(NAMES.map((name) => [name, `content of ${name}`]));

onEach(
  "limited by $setting",
  ["anonymous"],
  (row) => {
    it.each([3, 20, 40])("200 requests at once succeed with %i connections", async (connections) => {
      await using server = await row.start({ files, connections });
      await using client = clientOf(server);
      const results = await Promise.all(NAMES.map((name) => read(client, urlAt(server, `/${name}`))));
      expect(results).toEqual(NAMES.map((name) => files[name]));
    });
  },
  LIMITED_ROWS,
);
