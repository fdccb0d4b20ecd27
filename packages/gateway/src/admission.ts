/** How much is served at a time. */
export interface AdmissionLimits {
  /** Requests in all. Default 64. */
  readonly total: number;
  /** Requests of one client, by its address. Default 8. */
  readonly perClient: number;
  /** Requests that go to one host. Default 8. */
  readonly perHost: number;
}

export const DEFAULT_ADMISSION: AdmissionLimits = { total: 64, perClient: 8, perHost: 8 };

/** Counts what is under way, and says no to more than is bearable. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** A way out for whoever may come in; `undefined` when there is no room. */
  enter(client: string, host: string): (() => void) | undefined {
    const asked = [
      ["total", this.#limits.total],
      [`client ${client}`, this.#limits.perClient],
      [`host ${host}`, this.#limits.perHost],
    ] as const;
    if (asked.some(([key, limit]) => (this.#counts.get(key) ?? 0) >= limit)) return undefined;
    for (const [key] of asked) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      for (const [key] of asked) this.#leave(key);
    };
  }

  #leave(key: string): void {
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
