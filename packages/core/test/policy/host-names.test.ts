import { describe, expect, it } from "vitest";
import { findNameRefusal } from "../../src/policy/host-names.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import { NAME_ROWS } from "./name-rows.ts";

describe("nameRefusal", () => {
  it.each(NAME_ROWS)(
    "the name %j is %s by publicInternet() and %s by anyAddress()",
    (name, underPublic, underTrusted) => {
      expect(findNameRefusal(name, publicInternet()) === undefined).toBe(underPublic === "allowed");
      expect(findNameRefusal(name, anyAddress()) === undefined).toBe(underTrusted === "allowed");
    },
  );
});
