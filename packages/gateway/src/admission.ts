/** How many requests are served at a time. Downloads are contents that are sent as they are; everything else is a page. */
export interface AdmissionLimits {
  /** Pages in all, and downloads whose server has not answered yet. Default 64. */
  readonly total: number;
  /** The same of one client, by its address. Default 8. */
  readonly perClient: number;
  /** The same that go to one host. Default 8. */
  readonly perHost: number;
  /** Downloads in all: they may last for hours, and leave the pages alone. Default 32. */
  readonly downloads: number;
  /** Downloads of one client, by its address. Default 8. */
  readonly downloadsPerClient: number;
  /** Downloads from one host. Default 6: a host has 8 connections of a client, and pages need some. */
  readonly downloadsPerHost: number;
}

export const DEFAULT_ADMISSION: AdmissionLimits = {
  total: 64,
  perClient: 8,
  perHost: 8,
  downloads: 32,
  downloadsPerClient: 8,
  downloadsPerHost: 6,
};

/** The names of the limits that hold for a kind of request. */
const LIMITS = {
  page: { total: "total", client: "perClient", host: "perHost" },
  download: { total: "downloads", client: "downloadsPerClient", host: "downloadsPerHost" },
} as const;

/** Counts the requests under way, and refuses further ones at a limit. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Admits a request; the caller calls the result when the request has ended. `undefined` at a limit. */
  enter(kind: keyof typeof LIMITS, client: string, host: string): (() => void) | undefined {
    const names = LIMITS[kind];
    const keys = [
      [kind, this.#limits[names.total]],
      [`${kind} for ${client}`, this.#limits[names.client]],
      [`${kind} from ${host}`, this.#limits[names.host]],
    ] as const;
    if (keys.some(([key, limit]) => (this.#counts.get(key) ?? 0) >= limit)) return undefined;
    for (const [key] of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      for (const [key] of keys) this.#leave(key);
    };
  }

  #leave(key: string): void {
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
