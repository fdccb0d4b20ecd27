/** Known failures of runtimes and compilers, each with its reason. */
interface Known {
  readonly tool: string;
  readonly row: string;
  /** A text that the output of the failing tool contains. */
  readonly says: string;
  readonly reason: string;
}

export const KNOWN_FAILURES: readonly Known[] = [
  {
    tool: "bun",
    row: "import @anyscheme/gateway",
    says: "tsyringe requires a reflect polyfill",
    reason:
      "Bun runs a CommonJS module (tsyringe) before the ES module imported above it (the polyfill); a program that imports a " +
      'polyfill in CommonJS, such as "reflect-metadata", before @anyscheme/gateway/default-client is not concerned',
  },
  {
    tool: "typescript 5.4",
    row: "types",
    says: "TS2636: Type 'Client<sub-S>'",
    reason:
      "TypeScript 5.4 cannot follow that a client of some schemes is a client, which is said aloud for it; with skipLibCheck off, it " +
      "doubts that once, in our declarations and not in the program",
  },
];
