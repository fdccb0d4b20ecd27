/**
 * Matches a name against a wildmat (RFC 3977 §4). The last matching pattern decides. The result is false when "!"
 * precedes that pattern.
 */
export function matchesWildmat(name: string, wildmat: string): boolean {
  const patterns = wildmat.split(",").map((pattern) => pattern.trim());
  const last = patterns.findLast((pattern) => matchesPattern(name, pattern.replace(/^!/, "")));
  return last !== undefined && !last.startsWith("!");
}

/**
 * Matches "*" as any characters and "?" as a single character. The number of comparisons is at most the product of
 * the lengths, because only the last "*" backtracks.
 */
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
