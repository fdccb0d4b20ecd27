/** What a tool cannot do, and why that is not for us to change. */
interface Known {
  readonly tool: string;
  readonly row: string;
  /** Part of what it says. */
  readonly says: string;
  readonly reason: string;
}

export const KNOWN: readonly Known[] = [
  {
    tool: "bun",
    row: "import @anyscheme/gateway",
    says: "tsyringe requires a reflect polyfill",
    reason:
      "Bun runs a CommonJS module (tsyringe) before the ES module imported above it (the polyfill); a program that imports a " +
      'polyfill in CommonJS, such as "reflect-metadata", before @anyscheme/gateway/compose is not concerned',
  },
];
