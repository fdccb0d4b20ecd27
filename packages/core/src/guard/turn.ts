let acts: (() => void)[] = [];

/**
 * Does something at the end of this turn of the loop, with all else that waits for it. Connections that are opened or closed one by
 * one wake whoever is on the other side for each of them, on this machine above all; that took a busy client a third of its time.
 */
export function atTurnEnd(act: () => void): void {
  if (acts.push(act) > 1) return;
  setImmediate(() => {
    const all = acts;
    acts = [];
    for (const each of all) each();
  });
}
