export interface BenchmarkOptions {
  /** Delay of the connection in each direction, in milliseconds; 0 for plain loopback. */
  readonly delayMs: number;
}
