import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";

/** A server with a directory tree that sends only the first half of some files until release() is called. */
export interface TransferPausingServer extends AsyncDisposable {
  readonly url: string;
  /**
   * The paths of the requested files and directories, as in `a.txt` and `sub/`, with the offset of a resumed
   * transfer, as in `sub/big1 from 2000`.
   */
  readonly requests: string[];
  /** Ends the delay. The server then sends whole files to later requests. */
  release(): void;
}

export const MODIFICATION_DATE = new Date(Date.UTC(2026, 0, 1));

const createFileContent = (length: number, firstRequest: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => (index + firstRequest) % 251));

/**
 * The server delays as many files as the client downloads in parallel from one host, so no other transfer runs
 * meanwhile.
 */
export const FILES_WITH_PAUSED_TRANSFER: Readonly<Record<string, Buffer>> = {
  "sub/big1": createFileContent(4_000, 1),
  "sub/big2": createFileContent(5_000, 2),
  "sub/big3": createFileContent(6_000, 3),
};
export const SERVED_FILES: Readonly<Record<string, Buffer>> = {
  "a.txt": Buffer.from("one\r\ntwo\r\n"),
  ...FILES_WITH_PAUSED_TRANSFER,
  "sub/z.txt": Buffer.from("last\r\n"),
};
/**
 * The server sends the second listing after the request of the first file. The client therefore requests the first
 * file before the delayed files.
 */
const DIRECTORY_LISTS: Readonly<Record<string, readonly string[]>> = {
  "": ["a.txt", "sub/"],
  "sub/": ["big1", "big2", "big3", "z.txt"],
};

/** Returns the half of a file that the server sends without delay. */
export const getFirstHalf = (file: Buffer): Buffer => file.subarray(0, file.length / 2);

export async function startTransferPausingFtpServer(): Promise<TransferPausingServer> {
  const requests: string[] = [];
  const firstRequest = Promise.withResolvers<void>();
  const others: LoopbackServer[] = [];
  let isDelaying = true;
  const facts = (folder: string, name: string): string => {
    const file = SERVED_FILES[`${folder}${name}`];
    const kind = file ? `type=file;size=${file.length}` : "type=dir";
    return `${kind};modify=20260101000000; ${name.replace("/", "")}\r\n`;
  };
  const server = await startScriptedServer(async (peer) => {
    let folder = "";
    let start = 0;
    let transfer: (send: (data: ScriptedPeer) => unknown) => void = () => undefined;
    const commands: Record<string, (argument: string) => string | Promise<string>> = {
      USER: () => "230 welcome",
      PWD: () => '257 "/"',
      TYPE: () => "200 set",
      CWD(name) {
        folder = name === "pub" ? "" : name === "/" ? folder : `${name.replace(/^.*\//, "")}/`;
        return "250 changed";
      },
      async EPSV() {
        const sending = new Promise<(data: ScriptedPeer) => unknown>((resolve) => (transfer = resolve));
        const data = await startScriptedServer(async (client) => void (await (await sending)(client)));
        others.push(data);
        return `229 extended passive (|||${data.port}|)`;
      },
      REST(offset) {
        start = Number(offset);
        return "350 from there";
      },
      async MLSD() {
        requests.push(folder);
        if (folder !== "") await firstRequest.promise;
        const lines = (DIRECTORY_LISTS[folder] ?? []).map((name) => facts(folder, name));
        transfer((data) => data.send(lines.join("")));
        return "150 here it comes\r\n226 done";
      },
      RETR(name) {
        const path = `${folder}${name}`;
        const file = SERVED_FILES[path] ?? Buffer.alloc(0);
        requests.push(start > 0 ? `${path} from ${start}` : path);
        const from = start;
        start = 0;
        firstRequest.resolve();
        if (isDelaying && path in FILES_WITH_PAUSED_TRANSFER) {
          transfer((data) => (data.send(getFirstHalf(file)), data.closed));
          return "150 here it comes";
        }
        transfer((data) => data.send(file.subarray(from)));
        return "150 here it comes\r\n226 done";
      },
    };
    peer.send("220 ready\r\n");
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
      const [verb = "", argument = ""] = line.split(/ (.*)/);
      peer.send(`${(await commands[verb]?.(argument)) ?? "502 what?"}\r\n`);
    }
  });
  return {
    url: `ftp://127.0.0.1:${server.port}/pub/`,
    requests,
    release: () => void (isDelaying = false),
    async [Symbol.asyncDispose]() {
      for (const each of [server, ...others]) await each.stop();
    },
  };
}

export async function startTransferPausingGopherServer(): Promise<TransferPausingServer> {
  const requests: string[] = [];
  const firstRequest = Promise.withResolvers<void>();
  let isDelaying = true;
  const server = await startScriptedServer(async (peer) => {
    const path = ((await peer.readLine()) ?? "").replace(/^\/pub\/?/, "");
    requests.push(path);
    const file = SERVED_FILES[path];
    if (file === undefined) {
      if (path !== "") await firstRequest.promise;
      const lines = (DIRECTORY_LISTS[path] ?? []).map((name) => {
        const type = name.endsWith("/") ? "1" : "9";
        return `${type}${name}\t/pub/${path}${name}\t127.0.0.1\t${server.port}\r\n`;
      });
      return peer.send(`${lines.join("")}.\r\n`);
    }
    firstRequest.resolve();
    if (!isDelaying || !(path in FILES_WITH_PAUSED_TRANSFER)) return peer.send(file);
    peer.send(getFirstHalf(file));
    await peer.closed;
  });
  return {
    url: `gopher://127.0.0.1:${server.port}/1/pub/`,
    requests,
    release: () => void (isDelaying = false),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
