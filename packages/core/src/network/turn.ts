let acts: (() => void)[] = [];

/** Notes that one access more is under way in this process. */
export function accessBegins(): void {}

/** Notes that an access is over. */
export function accessEnds(): void {}

/** Does something at the end of this turn of the loop, with all else that waits for it. */
export function atTurnEnd(act: () => void): void {
  if (acts.push(act) > 1) return;
  setImmediate(() => {
    const all = acts;
    acts = [];
    for (const each of all) each();
  });
}
