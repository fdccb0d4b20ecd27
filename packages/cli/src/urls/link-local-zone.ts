import { UsageError } from "../errors/cli-errors.ts";
import type { CommandLine } from "../args/command-line.ts";

/**
 * Matches a URL, or a text without a scheme, whose host is an IPv6 address with a zone. `%25` before the zone is the
 * form of RFC 6874.
 */
const URL_WITH_ZONE =
  /^(\s*(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#[\]\\]*@)?)?\[)([0-9A-Fa-f:.]+)%(?:25(?=[^\]]))?([^\]]*)(\].*)$/s;

/** Matches an IPv6 address of fe80::/10 (RFC 4291 §2.5.6). */
const LINK_LOCAL_ADDRESS = /^fe[89ab][0-9a-f]:/i;

/**
 * Removes the zones from the URLs of the operands, and returns the zone as `linkLocalZone`. A user may type a zone, but
 * no URL contains one (RFC 9844). Throws `UsageError` for an invalid zone, for the zone of an address that is not
 * link-local, and for two different zones.
 */
export function extractZoneFromOperandUrls(line: CommandLine): CommandLine {
  const zones = new Set<string>();
  const operands = line.operands.map((operand) => {
    const [, start, address = "", zone = "", rest] = URL_WITH_ZONE.exec(operand) ?? [];
    if (start === undefined) return operand;
    if (!/^[A-Za-z0-9._~-]{1,32}$/.test(zone))
      throw new UsageError(
        `the zone of an IPv6 address has 1 to 32 letters, digits, ".", "_", "~" and "-", as in [fe80::1%eth0]`,
        line.command,
      );
    if (!LINK_LOCAL_ADDRESS.test(address))
      throw new UsageError(
        `${address} is not link-local, and only link-local addresses (fe80::/10) have a zone; write [${address}]`,
        line.command,
      );
    zones.add(zone);
    return `${start}${address}${rest}`;
  });
  const [linkLocalZone, other] = zones;
  if (other !== undefined)
    throw new UsageError(
      `the URLs have the zones ${[...zones].join(" and ")}; run one command for each zone`,
      line.command,
    );
  return linkLocalZone === undefined ? line : { ...line, operands, linkLocalZone };
}
