import { describeScheme } from "@anyscheme/core/testing";
import { file } from "@anyscheme/scheme-others/file";
import { afterAll, beforeAll, describe, it } from "vitest";
import { createTemporaryFolderWithFiles, type RemovableTestFolder } from "./temporary-folder-with-files.ts";

let testDirectory: RemovableTestFolder;
beforeAll(async () => {
  testDirectory = await createTemporaryFolderWithFiles({ "folder/greeting.txt": "hello\nagain\n" });
});
afterAll(() => testDirectory.remove());

describeScheme({ describe, it }, "file", {
  scheme: () => file({ root: testDirectory.root }),
  valid: [
    "file:///",
    "file:///folder/greeting.txt",
    "file://localhost/a%20b",
    "file://vms.host.edu/disk$user/my/notes/note12345.txt",
  ],
  invalid: [
    "file:///a\\b",
    "file://host:80/a",
    "file://user@host/a",
    "file://host",
    "http://host/",
    "file:a",
  ],
  skip: { network: "the scheme file opens local files without a network" },
  serve: () =>
    Promise.resolve({
      url: () => "file:///folder/greeting.txt",
      missingUrl: () => "file:///folder/nothing",
      bytes: Buffer.from("hello\nagain\n"),
      stop: () => Promise.resolve(),
    }),
});
