import { describe, expect, it } from "vitest";
import { findHostNameRefusal } from "../../src/policy/host-names.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import { HOST_NAME_DECISIONS } from "./host-name-decisions.ts";

describe("findHostNameRefusal", () => {
  it.each(HOST_NAME_DECISIONS)(
    "the name %j is %s by publicInternet() and %s by anyAddress()",
    (name, underPublic, underTrusted) => {
      expect(findHostNameRefusal(name, publicInternet()) === undefined).toBe(underPublic === "allowed");
      expect(findHostNameRefusal(name, anyAddress()) === undefined).toBe(underTrusted === "allowed");
    },
  );
});
