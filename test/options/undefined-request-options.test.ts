import { createClient } from "@anyscheme/core";
import { gopher } from "@anyscheme/scheme-gopher";
import { prospero, wais } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";

describe("an option of a request with the value undefined", () => {
  const client = createClient({
    schemes: [gopher({ emptySearch: "send" }), wais({ sendInitRequest: true }), prospero({ software: "a" })],
  });
  const cases: readonly [url: string, options: object, other: object][] = [
    ["gopher://h.example/0a%09%09+", { emptySearch: undefined }, { emptySearch: "omit" }],
    ["wais://h.example/db?words", { sendInitRequest: undefined }, { sendInitRequest: false }],
    ["prospero://h.example/a", { software: undefined }, { software: "b" }],
  ];
  it.each(cases)(
    "an undefined option does not replace the option of the scheme: %s",
    (url, options, other) => {
      const describeSteps = (given?: object): unknown =>
        client.plan(url, given).steps.map(({ bytes, description }) => [description, String(bytes)]);
      expect(describeSteps(options)).toEqual(describeSteps());
      expect(describeSteps(other)).not.toEqual(describeSteps());
    },
  );
});
