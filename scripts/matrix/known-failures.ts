/** A known failure of a runtime or a compiler, with its reason. */
interface KnownFailure {
  readonly toolName: string;
  readonly testName: string;
  /** A text that the output of the failing tool contains. */
  readonly expectedOutput: string;
  readonly reason: string;
}

export const KNOWN_RUNTIME_FAILURES: readonly KnownFailure[] = [
  {
    toolName: "bun",
    testName: "import @anyscheme/gateway",
    expectedOutput: "tsyringe requires a reflect polyfill",
    reason:
      "Bun runs a CommonJS module (tsyringe) before the ES module imported above it (the polyfill); a program that imports a " +
      'polyfill in CommonJS, such as "reflect-metadata", before @anyscheme/gateway/default-client works',
  },
  {
    toolName: "bun",
    testName: "import @anyscheme/undici",
    expectedOutput: "Export named 'Dispatcher1Wrapper' not found in module 'undici'",
    reason: "Bun replaces undici by a module of its own, whose agents do nothing",
  },
  {
    toolName: "bun",
    testName: "guarded fetch",
    expectedOutput: "Export named 'Dispatcher1Wrapper' not found in module 'undici'",
    reason: "Bun replaces undici by a module of its own, whose agents do nothing",
  },
  {
    toolName: "deno",
    testName: "guarded fetch",
    expectedOutput: "not refused: reached,reached",
    reason: "the fetch of Deno ignores agents of undici; fetch of the package undici uses the agent",
  },
];
