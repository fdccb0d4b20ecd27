import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the bytes of the heap and of external buffers after a garbage collection. */
export function measureMemoryAfterGc(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
