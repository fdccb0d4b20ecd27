import { hasAddressPrefix, parseIpAddress } from "../../policy/ip-address.ts";

/**
 * True when a list as in the variable `no_proxy` contains a host. The list has names, addresses and address blocks,
 * separated by commas. A host name in the list also matches the names below it. The value `*` in place of a list
 * matches every host. The rules are those of curl.
 * <https://curl.se/docs/manpage.html#--noproxy>
 */
export function matchesNoProxy(list: string, host: string): boolean {
  if (list === "*") return true;
  const entries = list.split(",").map((entry) => entry.trim());
  const address = parseIpAddress(host);
  return entries.some((entry) =>
    address ? matchesAddressEntry(entry, address) : matchesNameEntry(entry, host),
  );
}

function matchesNameEntry(entry: string, host: string): boolean {
  const name = entry.replace(/\.$/, "").replace(/^\./, "").toLowerCase();
  const lower = host.replace(/\.$/, "").toLowerCase();
  return name !== "" && (lower === name || lower.endsWith(`.${name}`));
}

function matchesAddressEntry(entry: string, address: Uint8Array): boolean {
  const [, text = "", length] = /^\[?([\da-f.:]+?)\]?(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
  const prefix = parseIpAddress(text);
  const bits = Number(length ?? (prefix?.length ?? 0) * 8);
  if (prefix?.length !== address.length || bits > prefix.length * 8) return false;
  return hasAddressPrefix(prefix, bits, address);
}
