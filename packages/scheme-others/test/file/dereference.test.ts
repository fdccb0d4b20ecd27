import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createClient, type DirectoryEntry } from "@anyscheme/core";
import { file, type FileEntry, fileSyntax } from "@anyscheme/scheme-others/file";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readLocalDirectoryEntries } from "../../src/file/execute-plan.ts";
import { createTemporaryFolderWithFiles, type RemovableTestFolder } from "./temporary-folder-with-files.ts";

let testDirectory: RemovableTestFolder;
let directoryOutsideRoot: RemovableTestFolder;

beforeAll(async () => {
  directoryOutsideRoot = await createTemporaryFolderWithFiles({ secret: "not for you" });
  testDirectory = await createTemporaryFolderWithFiles({
    "plain.txt": "hello\n",
    empty: "",
    "page.html": "<p>",
    "with space": "blank",
    "folder/one": "1",
    "folder/two": "22",
    "folder/sub/deep": "3",
  });
  await writeFile(Buffer.from(`${testDirectory.root}/latin-\xe9`, "latin1"), "bytes");
  await symlink(directoryOutsideRoot.root, join(testDirectory.root, "escape"));
  await symlink(join(directoryOutsideRoot.root, "secret"), join(testDirectory.root, "link"));
  await symlink("plain.txt", join(testDirectory.root, "inside"));
  await symlink("folder", join(testDirectory.root, "alias"));
  execFileSync("mkfifo", [join(testDirectory.root, "fifo")]);
});

afterAll(async () => {
  await testDirectory.remove();
  await directoryOutsideRoot.remove();
});

const createFileClient = (root: string | undefined) => createClient({ schemes: [file({ root })] });

describe("the client reads the contents of local files", () => {
  const rows: [url: string, text: string, mediaType: string][] = [
    ["file:///plain.txt", "hello\n", "text/plain"],
    ["file://localhost/plain.txt", "hello\n", "text/plain"],
    ["file:///empty", "", "application/octet-stream"],
    ["file:///page.html", "<p>", "text/html"],
    ["file:///with%20space", "blank", "application/octet-stream"],
    ["file:///latin-%E9", "bytes", "application/octet-stream"],
    ["file:///folder/sub/deep", "3", "application/octet-stream"],
    ["file:///alias/one", "1", "application/octet-stream"],
    ["file:///folder/../plain.txt", "hello\n", "text/plain"],
    ["file:///../%2E%2e/nothing/../folder/./one", "1", "application/octet-stream"],
    ["file:///escape/../plain.txt", "hello\n", "text/plain"],
  ];

  it.each(rows)("the client reads the file of %s", async (url, text, mediaType) => {
    await using client = createFileClient(testDirectory.root);
    const found = await client.dereference(url);
    if (found.kind !== "content") throw new Error(found.kind);
    expect(found.mediaType).toBe(mediaType);
    expect(found.size).toBe(Buffer.byteLength(text));
    expect(found.modified).toBeInstanceOf(Date);
    expect(await found.text()).toBe(text);
    expect(await found.completeness).toBe("verified");
  });

  it("the client reports an incomplete file when the file is truncated during the read", async () => {
    await using client = createFileClient(testDirectory.root);
    const path = join(testDirectory.root, "shrinking");
    await writeFile(path, Buffer.alloc(3_000_000));
    const found = await client.dereference("file:///shrinking");
    if (found.kind !== "content") throw new Error(found.kind);
    await truncate(path, 1_500_000);
    await expect(found.bytes()).rejects.toMatchObject({ code: "incomplete" });
  });
});

describe("the client refuses file URLs", () => {
  const rows: [url: string, code: string][] = [
    ["file:///nothing", "not-found"],
    ["file:///plain.txt/below", "not-found"],
    ["file:///folder?/../plain.txt", "refused-characters"],
    ["file:///../../../../../../etc/passwd", "not-found"],
    ["file:///%2E%2E/secret", "not-found"],
    ["file:///%2E%2E%2Fsecret", "refused-characters"],
    ["file:///escape/../escape/secret", "permission-denied"],
    ["file:///folder%2Fone", "refused-characters"],
    ["file:///plain.txt%00", "refused-characters"],
    ["file:////etc/passwd", "refused-characters"],
    ["file:///link", "permission-denied"],
    ["file:///inside", "permission-denied"],
    ["file:///escape", "permission-denied"],
    ["file:///escape/secret", "permission-denied"],
    ["file:///fifo", "no-content"],
    ["file://vms.host.edu/disk$user/my/notes/note12345.txt", "unsupported"],
  ];

  it.each(rows)("the client rejects the file URL %s with the error %s", async (url, code) => {
    await using client = createFileClient(testDirectory.root);
    await expect(client.dereference(url)).rejects.toMatchObject({ code, url });
  });

  it("the client rejects a link out of the root when the root is itself a link or ends in a slash", async () => {
    const elsewhere = await createTemporaryFolderWithFiles({});
    onTestFinished(() => elsewhere.remove());
    const link = join(elsewhere.root, "root");
    await symlink(testDirectory.root, link);
    for (const root of [link, `${link}/`, `${testDirectory.root}/`]) {
      await using client = createFileClient(root);
      expect((await client.dereference("file:///")).kind).toBe("directory");
      const found = await client.dereference("file:///plain.txt");
      expect(found.kind === "content" && (await found.text())).toBe("hello\n");
      await expect(client.dereference("file:///escape/secret")).rejects.toMatchObject({
        code: "permission-denied",
      });
    }
  });

  it.each(["", "/there/is/none"])("the client rejects every file URL if the root is %j", async (root) => {
    await using client = createFileClient(root);
    for (const url of ["file:///", "file:///etc/hostname"])
      await expect(client.dereference(url)).rejects.toMatchObject({ code: "not-found" });
  });

  it("the client rejects every file URL without a root", async () => {
    await using client = createFileClient(undefined);
    await expect(client.dereference("file:///plain.txt")).rejects.toMatchObject({
      code: "permission-denied",
      advice: expect.stringContaining("root") as string,
    });
  });

  it("the client rejects the URLs of devices under any root", async () => {
    await using client = createFileClient("/");
    await expect(client.dereference("file:///dev/zero")).rejects.toMatchObject({ code: "no-content" });
  });
});

describe("the client lists local directories", () => {
  async function list(url: string): Promise<DirectoryEntry[]> {
    await using client = createFileClient(testDirectory.root);
    const found = await client.dereference(url);
    if (found.kind !== "directory") throw new Error(found.kind);
    const entries: DirectoryEntry[] = [];
    for await (const entry of found) entries.push(entry);
    return entries;
  }

  it.each(["file:///folder", "file:///folder/"])(
    "the client lists the directory %s with names, kinds, sizes and URLs",
    async (url) => {
      const entries = await list(url);
      expect(entries.map(({ name, kind, size, url: at }) => [name, kind, size, at?.href])).toEqual([
        ["one", "file", 1, "file:///folder/one"],
        ["sub", "directory", undefined, "file:///folder/sub/"],
        ["two", "file", 2, "file:///folder/two"],
      ]);
    },
  );

  it("the client keeps the bytes of a file name that is not UTF-8 in the URL of its entry", async () => {
    const found = (await list("file:///")).find(({ name }) => name.startsWith("latin"));
    expect(found?.url?.href).toBe("file:///latin-%E9");
  });

  it("the client lists symbolic links and special files with their kinds", async () => {
    const kinds = Object.fromEntries((await list("file:///")).map(({ name, kind }) => [name, kind]));
    expect(kinds).toMatchObject({ fifo: "special", link: "link", folder: "directory" });
  });

  it("the client lists a URL with dot segments, and the URLs of the entries have none", async () => {
    const urls = (await list("file:///folder/../nothing/%2e%2E/folder")).map(({ url }) => url?.href);
    expect(urls).toEqual(["file:///folder/one", "file:///folder/sub/", "file:///folder/two"]);
    expect(await list("file:///../..")).toEqual(await list("file:///"));
  });

  it("the client refuses dot segments in the mode rfc1738", async () => {
    await using client = createClient({ schemes: [file({ root: testDirectory.root })], mode: "rfc1738" });
    await expect(client.dereference("file:///folder/../plain.txt")).rejects.toMatchObject({
      code: "refused-characters",
    });
  });

  it("the client rejects a directory with more entries than maxListingEntries", async () => {
    await using client = createClient({
      schemes: [file({ root: testDirectory.root })],
      limits: { maxListingEntries: 2 },
    });
    await expect(client.dereference("file:///folder")).rejects.toMatchObject({
      code: "limit",
      limit: "maxListingEntries",
    });
  });
});

describe("a directory listing reports its completeness", () => {
  it("the client reports the completeness verified after the last entry", async () => {
    await using client = createFileClient(testDirectory.root);
    const found = await client.dereference("file:///folder");
    if (found.kind !== "directory") throw new Error(found.kind);
    const names: string[] = [];
    for await (const { name } of found) names.push(name);
    expect([names, await found.completeness]).toEqual([["one", "sub", "two"], "verified"]);
  });

  it("the client reports the error aborted for a listing that is aborted before its end", async () => {
    await using client = createFileClient(testDirectory.root);
    const controller = new AbortController();
    const found = await client.dereference("file:///folder", { signal: controller.signal });
    if (found.kind !== "directory") throw new Error(found.kind);
    const names: string[] = [];
    const reading = (async () => {
      for await (const { name } of found) {
        names.push(name);
        controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    await expect(found.completeness).rejects.toMatchObject({ code: "aborted" });
    expect(names).toEqual(["one"]);
  });

  it("the client lists an entry with unreadable attributes, and skips an entry that no longer exists", async () => {
    const url = fileSyntax.parse("file:///plain.txt/");
    const listFolder = async (folder: string): Promise<FileEntry[]> => {
      const entries: FileEntry[] = [];
      const path = Buffer.from(join(testDirectory.root, folder));
      for await (const entry of readLocalDirectoryEntries(url, path, [Buffer.from("name")], () => false))
        entries.push(entry);
      return entries;
    };
    expect(await listFolder("folder")).toEqual([]);
    expect(await listFolder("plain.txt")).toEqual([
      {
        name: "name",
        kind: "unknown",
        url: expect.objectContaining({ href: "file:///plain.txt/name" }) as unknown,
        size: undefined,
        modified: undefined,
      },
    ]);
  });
});

describe("the scheme file closes its file descriptors", () => {
  it("the client closes all file descriptors at the end, after close(), and on failure", async () => {
    const { readdirSync } = await import("node:fs");
    const countOpenDescriptors = (): number => readdirSync("/proc/self/fd").length;
    const before = countOpenDescriptors();
    await using client = createFileClient(testDirectory.root);
    const read = await client.dereference("file:///plain.txt");
    if (read.kind === "content") await read.text();
    await (await client.dereference("file:///plain.txt")).close();
    await (await client.dereference("file:///folder")).close();
    await client.dereference("file:///fifo").catch(() => undefined);
    await expect.poll(countOpenDescriptors).toBe(before);
  });
});

describe("a symbolic link that leads outside the root", () => {
  const rows = ["out", "relative", "chained"].flatMap((link) =>
    ["secret", "nonexistent", "", "folder/", "secret/below", "nonexistent/below"].map((path) => [
      `${link}/${path}`,
    ]),
  );

  it.each(rows)(
    "the client rejects file:///%s as permission-denied whether its target exists or not, and reads nothing outside the root",
    async (path) => {
      const outside = await createTemporaryFolderWithFiles({ secret: "not for you", "folder/one": "1" });
      const inside = await createTemporaryFolderWithFiles({ "sub/one": "1" });
      onTestFinished(async () => {
        vi.restoreAllMocks();
        await outside.remove();
        await inside.remove();
      });
      await symlink(outside.root, join(inside.root, "out"));
      await symlink(join("..", basename(outside.root)), join(inside.root, "relative"));
      await symlink("sub/../relative", join(inside.root, "chained"));
      const root = await fs.promises.realpath(inside.root);
      const touched: string[] = [];
      for (const name of ["open", "lstat", "stat", "readlink", "realpath", "readdir"] as const) {
        const original = fs.promises[name].bind(fs.promises) as (...args: unknown[]) => unknown;
        vi.spyOn(fs.promises, name).mockImplementation(((...args: unknown[]) => {
          touched.push(String(args[0]));
          return original(...args);
        }) as never);
      }
      await using client = createFileClient(inside.root);
      for (const request of [
        () => client.dereference(`file:///${path}`),
        () => client.stat(`file:///${path}`),
        () => client.put(`file:///${path}x`, "x"),
        () => client.delete(`file:///${path}x`),
      ])
        await expect(request()).rejects.toMatchObject({ code: "permission-denied" });
      expect(touched.filter((each) => each !== inside.root && !`${each}/`.startsWith(`${root}/`))).toEqual(
        [],
      );
    },
  );

  it.each([
    ["../ROOT/sub", "1"],
    ["ROOT_PATH/sub/.", "1"],
    ["./sub//", "1"],
    ["sub/two", "2"],
    ["loop", "permission-denied"],
    ["sub/one", "not-found"],
    ["..", "permission-denied"],
    ["/", "permission-denied"],
    ["nonexistent", "not-found"],
  ])("a link to %s gives the result %s", async (target, result) => {
    const folder = await createTemporaryFolderWithFiles({ "sub/one": "1" });
    onTestFinished(() => folder.remove());
    const { root } = folder;
    await mkdir(join(root, "deep"));
    await writeFile(join(root, "deep/one"), "2");
    await symlink("../deep", join(root, "sub/two"));
    await symlink("loop", join(root, "loop"));
    await symlink(target.replace("ROOT_PATH", root).replace("ROOT", basename(root)), join(root, "link"));
    await using client = createFileClient(root);
    const text = client.text("file:///link/one").catch((error: unknown) => (error as { code: string }).code);
    expect(await text).toBe(result);
  });
});
