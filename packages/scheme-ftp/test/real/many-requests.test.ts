import { expect, it } from "vitest";
import { createClientFor, describeOnEachServer, readOrErrorCode, urlAt } from "./describe-on-servers.ts";
import { LIMITED_SERVER_ROWS } from "./servers.ts";

const NAMES = Array.from({ length: 200 }, (_, index) => `${index % 10}.bin`);
const files = Object.fromEntries(NAMES.map((name) => [name, `content of ${name}`]));

describeOnEachServer(
  "the server limits connections with $setting",
  ["anonymous"],
  (row) => {
    it.each([3, 20, 40])(
      "performs 200 simultaneous requests on a server that accepts %i connections",
      async (connections) => {
        await using server = await row.start({ files, maxConnections: connections });
        await using client = createClientFor(server);
        const results = await Promise.all(
          NAMES.map((name) => readOrErrorCode(client, urlAt(server, `/${name}`))),
        );
        expect(results).toEqual(NAMES.map((name) => files[name]));
      },
    );
  },
  LIMITED_SERVER_ROWS,
);
