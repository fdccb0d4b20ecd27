/** Whether a name fits a wildmat: of its patterns, separated by commas, the last that fits decides; "!" before it says no. RFC 3977 §4. */
export function matchesWildmat(name: string, wildmat: string): boolean {
  const patterns = wildmat.split(",").map((pattern) => pattern.trim());
  const last = patterns.findLast((pattern) => matchesPattern(name, pattern.replace(/^!/, "")));
  return last !== undefined && !last.startsWith("!");
}

/** "*" stands for any characters, "?" for one. Goes back to the last "*" only, so that it takes no more than name times pattern. */
function matchesPattern(name: string, pattern: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
    if (pattern[place] === "*") {
      star = place++;
      resume = at;
    } else if (place < pattern.length && (pattern[place] === "?" || pattern[place] === name[at])) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(place));
}
