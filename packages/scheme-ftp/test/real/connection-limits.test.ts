import { expect, it } from "vitest";
import {
  createClientForServer,
  describeOnEachServer,
  dereferenceToTextOrErrorCode,
  createServerUrl,
} from "./describe-on-servers.ts";
import { SERVERS_WITH_CONNECTION_LIMIT } from "./tested-ftp-servers.ts";

const FILE_NAMES = Array.from({ length: 200 }, (_, index) => `${index % 10}.bin`);
const servedFiles = Object.fromEntries(FILE_NAMES.map((name) => [name, `content of ${name}`]));

describeOnEachServer(
  "the server limits connections with $limitSetting",
  ["anonymous"],
  (row) => {
    it.each([3, 20, 40])(
      "the client performs 200 simultaneous requests on a server that accepts %i connections",
      async (connections) => {
        await using server = await row.start({ files: servedFiles, maxConnections: connections });
        await using client = createClientForServer(server);
        const results = await Promise.all(
          FILE_NAMES.map((name) => dereferenceToTextOrErrorCode(client, createServerUrl(server, `/${name}`))),
        );
        expect(results).toEqual(FILE_NAMES.map((name) => servedFiles[name]));
      },
    );
  },
  SERVERS_WITH_CONNECTION_LIMIT,
);
