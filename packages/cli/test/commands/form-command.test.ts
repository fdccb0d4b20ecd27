import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import {
  type CommandInProcessResult,
  runCommandInProcess,
  type TestCliIoOptions,
} from "../command-in-process.ts";

const askBlock =
  "+ASK:\r\n Note: Please\x1b[2J fill in\r\n Ask: Volts\t110\r\n AskP: Password\r\n AskL: Comments\r\n Select: Loud\t0\r\n Choose: Now\tYes\tNot!\r\n ChooseF: Which\r\n";

let gopherServer: LoopbackServer;
let receivedRequests: string[] = [];
beforeAll(async () => {
  gopherServer = await startScriptedServer(async (peer) => {
    const line = (await peer.readLine()) ?? "";
    receivedRequests.push(line);
    if (line === "order\t!")
      peer.send(`+-1\r\n+INFO: 0The order\torder\tlocalhost\t70\t?\r\n${askBlock}.\r\n`);
    else if (line === "order\t+\t1") {
      for (
        let more = await peer.readLine();
        more !== undefined;
        more = more === "." ? undefined : await peer.readLine()
      )
        receivedRequests.push(more);
      peer.send("+-1\r\nThank you\r\n.\r\n");
    } else if (line === "find\ttwo words") peer.send("0Found\t/x\tlocalhost\t70\r\n.\r\n");
    else peer.send("+-1\r\n+INFO: 0x\tx\tlocalhost\t70\t+\r\n.\r\n");
  });
});
afterAll(() => gopherServer.stop());
beforeEach(() => (receivedRequests = []));

const runForm = (
  path: string,
  options: TestCliIoOptions,
  ...args: string[]
): Promise<CommandInProcessResult> => {
  const allow = ["--allow-port", `gopher:${gopherServer.port}`];
  return runCommandInProcess(
    ["form", `gopher://127.0.0.1:${gopherServer.port}/${path}`, ...allow, ...args],
    options,
  );
};

describe("the form command prompts for the values of a form and submits them", () => {
  it.each(["0order%09%09?", "0order", "0order%09%09+"])(
    "form submits the form of the Gopher path %s",
    async (path) => {
      const folder = createTemporaryFolder();
      writeFileSync(join(folder, "f"), "in the file\n");
      const answers = ["220", "s3cret", "one", "two", ".", "y", "2", join(folder, "f")];
      const { exitCode, stdout, stderr, io } = await runForm(path, { answers });
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Thank you\r\n" });
      expect(io.questions).toEqual([
        { question: "Volts [110]: ", echo: true },
        { question: "Password: ", echo: false },
        { question: "> ", echo: true },
        { question: "> ", echo: true },
        { question: "> ", echo: true },
        { question: "Loud (y/n) [n]: ", echo: true },
        { question: "1\u20132 [1]: ", echo: true },
        { question: "Which (file name): ", echo: true },
      ]);
      expect(stderr).toBe(
        "The order\nPlease\\x1b[2J fill in\nComments (end the text with a line that contains only a dot)\nNow\n  1 Yes\n  2 Not!\n",
      );
      expect(receivedRequests).toEqual([
        "order\t!",
        "order\t+\t1",
        "+-1",
        "220",
        "s3cret",
        "2",
        "one",
        "two",
        "1",
        "Not!",
        "in the file",
        ".",
      ]);
    },
  );

  it("form keeps the server's default for an empty answer", async () => {
    const { exitCode } = await runForm("0order", { answers: ["", "", ".", "", "", ""] });
    expect(exitCode).toBe(0);
    expect(receivedRequests.slice(2)).toEqual(["+-1", "110", "", "0", "0", "Yes", "."]);
  });

  it("form prompts again after an invalid answer", async () => {
    const answers = ["", "", ".", "perhaps", "No", "3", "0", "yes", "Not!", ""];
    const { exitCode, io } = await runForm("0order", { answers });
    expect([exitCode, io.questions.length]).toEqual([0, 10]);
    expect(receivedRequests.slice(-3)).toEqual(["0", "Not!", "."]);
  });

  it("form prompts for the words of a Gopher search", async () => {
    const { exitCode, stdout, io } = await runForm("7find", { answers: ["two words"] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "  1 text   Found\n" });
    expect(io.questions).toEqual([{ question: "Words to search for: ", echo: true }]);
    expect(receivedRequests).toEqual(["find\ttwo words"]);
  });
});

describe("the form command rejects an incomplete form", () => {
  it.each([
    ["the user gives no answer", "0order", [], 2, /the form was not submitted: the terminal gave no answer/],
    [
      "the user does not answer all questions",
      "0order",
      ["220", "x"],
      2,
      /the form was not submitted: the terminal gave no answer/,
    ],
    [
      "the user gives a value that the form field does not allow",
      "0order",
      [".", "", ".", "", "", ""],
      2,
      /"Volts": a line of the value must not be a single dot/,
    ],
    [
      "the file cannot be read",
      "0order",
      ["", "", ".", "", "", "/nowhere/f"],
      37,
      /cannot read \/nowhere\/f/,
    ],
    ["the item has no form", "0other", ["x"], 78, /no form/],
    ["the URL is not a form", "0order%09%09!", ["x"], 2, /is not a form/],
  ])("form submits nothing when %s", async (_, path, answers, exit, message) => {
    const outcome = await runForm(path, { answers });
    expect(outcome).toMatchObject({ exitCode: exit, stdout: "" });
    expect(outcome.stderr).toMatch(message);
    expect(receivedRequests).toHaveLength(1);
    expect(receivedRequests[0]).toMatch(/\t!$/);
  });

  it("form --verbose masks the answers of the user in the trace", async () => {
    const answers = ["", "s3cret", ".", "", "", ""];
    const { exitCode, stderr } = await runForm("0order", { answers }, "--verbose");
    expect(exitCode).toBe(0);
    expect(stderr).toContain("+<tab>1<cr><lf>+-1<cr><lf>****");
    expect(stderr).not.toContain("s3cret");
  });
});
