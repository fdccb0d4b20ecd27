export interface BenchmarkDelayOptions {
  /** The delay of the connection in each direction, in milliseconds. 0 means plain loopback. */
  readonly connectionDelayMs: number;
}
