import { spawn } from "node:child_process";
import fs, { readdirSync, readFileSync } from "node:fs";
import { readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@anyscheme/core";
import { file } from "@anyscheme/scheme-others/file";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createTemporaryFolderWithFiles, type RemovableTestFolder } from "./temporary-folder-with-files.ts";

let testDirectory: RemovableTestFolder;
let directoryOutsideRoot: RemovableTestFolder;
beforeAll(async () => {
  directoryOutsideRoot = await createTemporaryFolderWithFiles({ one: "not for you" });
  testDirectory = await createTemporaryFolderWithFiles({ "folder/one": "for everybody" });
});
afterAll(async () => {
  await testDirectory.remove();
  await directoryOutsideRoot.remove();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const createFileClient = (root: string) => createClient({ schemes: [file({ root })] });

describe.runIf(process.platform === "linux")("special files and links on Linux", () => {
  it("the client reads a file in /proc to its end, although its size is 0", async () => {
    await using client = createFileClient("/proc");
    const found = await client.dereference("file:///version");
    if (found.kind !== "content") throw new Error(found.kind);
    expect(found.size).toBeUndefined();
    expect(await client.stat("file:///version")).toMatchObject({ kind: "content", size: undefined });
    expect(await found.text()).toBe(readFileSync("/proc/version", "utf8"));
  });

  it.each(["file:///self/cwd", "file:///self/root/etc/hostname", "file:///self/fd/0"])(
    "the client refuses to follow the symbolic link %s below /proc",
    async (url) => {
      await using client = createFileClient("/proc");
      await expect(client.dereference(url)).rejects.toMatchObject({ code: "permission-denied" });
    },
  );

  it.each(["/dev/null", "/dev/zero", "/dev/tty"])(
    "the client refuses to read the device %s",
    async (device) => {
      await using client = createFileClient("/dev");
      const url = `file:///${device.slice(5)}`;
      await expect(client.dereference(url)).rejects.toMatchObject({ code: "no-content" });
      await expect(client.put(url, "x")).rejects.toMatchObject({ code: "no-content" });
    },
  );

  it("the client refuses to read a socket", async () => {
    const path = join(testDirectory.root, "socket");
    const program = `require("node:net").createServer().listen(process.argv[1], () => console.log("listening"))`;
    const child = spawn(process.execPath, ["-e", program, path], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await using client = createFileClient(testDirectory.root);
      for (const work of [
        (url: string) => client.dereference(url),
        (url: string) => client.stat(url),
        (url: string) => client.put(url, "x"),
        (url: string) => client.delete(url),
      ])
        await expect(work("file:///socket")).rejects.toMatchObject({ code: "no-content" });
    } finally {
      child.kill();
      await rm(path, { force: true });
    }
  });
});

describe("a symbolic link replaces a directory during a request", () => {
  const getFolderPath = (): string => join(testDirectory.root, "folder");

  /** Replaces the folder by a link to a folder outside the root. */
  const replaceFolderByLink = async (): Promise<void> => {
    await rename(getFolderPath(), `${getFolderPath()}-aside`);
    await symlink(directoryOutsideRoot.root, getFolderPath());
  };
  const restoreFolder = async (): Promise<void> => {
    await rm(getFolderPath());
    await rename(`${getFolderPath()}-aside`, getFolderPath());
  };

  it("the client reads no file outside the root when a directory becomes a link before the file is opened", async () => {
    const open = fs.promises.open.bind(fs.promises);
    vi.spyOn(fs.promises, "open").mockImplementationOnce(async (...args) => {
      await replaceFolderByLink();
      const handle = await open(...args);
      await restoreFolder();
      return handle;
    });
    await using client = createFileClient(testDirectory.root);
    await expect(client.dereference("file:///folder/one")).rejects.toMatchObject({
      code: "permission-denied",
    });
  });

  it.each([{}, { atomic: true }])(
    "the client writes into the opened directory although a link replaces its path, with the options %j",
    async (options) => {
      const open = fs.promises.open.bind(fs.promises);
      vi.spyOn(fs.promises, "open").mockImplementationOnce(async (...args) => {
        const handle = await open(...args);
        // Replaces the folder by a link after the client has requested the path of the open file.
        const readlink = fs.promises.readlink.bind(fs.promises) as (...args: unknown[]) => Promise<Buffer>;
        vi.spyOn(fs.promises, "readlink").mockImplementationOnce((async (...args: unknown[]) => {
          const realPath = await readlink(...args);
          await replaceFolderByLink();
          return realPath;
        }) as never);
        return handle;
      });
      await using client = createFileClient(testDirectory.root);
      await client.put("file:///folder/two", "2", options);
      await restoreFolder();
      expect(await readFile(join(getFolderPath(), "two"), "utf8")).toBe("2");
      expect(readdirSync(directoryOutsideRoot.root)).toEqual(["one"]);
    },
  );
});
