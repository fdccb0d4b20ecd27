import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeRoomFor } from "./machine.ts";
import type { Racer, Sample } from "./race.ts";

const execute = promisify(execFile);

/** A contender of ours: a script beside this one that measures itself, in a process of its own. */
export function contender(script: string, name: string, ...args: readonly (string | number)[]): Racer {
  const file = fileURLToPath(new URL(`${script}.js`, import.meta.url));
  return {
    name,
    async run() {
      const { stdout } = await execute(process.execPath, [file, name, ...args.map(String)]);
      return JSON.parse(stdout) as Sample;
    },
  };
}

/** A racer that finds no file there: one that is written over has its memory already, and one beside it has to be given its own. */
export function afresh(file: string, bytes: number, racer: Racer): Racer {
  return {
    name: racer.name,
    run() {
      makeRoomFor(file, bytes);
      return racer.run();
    },
  };
}

export interface CurlRace {
  readonly url: string;
  /** Where the bytes go to. */
  readonly output: string;
  readonly amount: number;
  readonly atOnce: number;
  /** Of one of them. */
  readonly bytes: number;
}

/** curl in one process, as many transfers at once as it is told. Servers have to ignore a query of a number. */
export function curl(name: string, { url, output, amount, atOnce, bytes }: CurlRace): Racer {
  return {
    name,
    async run() {
      const parallel = atOnce > 1 ? ["-Z", "--parallel-max", String(atOnce)] : [];
      // A range of numbers makes many URLs of one.
      const args = ["-s", ...parallel, "-o", output, amount > 1 ? `${url}?[1-${amount}]` : url];
      const began = performance.now();
      await execute("curl", args);
      const ms = performance.now() - began;
      return { ms, done: amount * bytes, cpuMs: Number.NaN, rssMiB: Number.NaN };
    },
  };
}
