import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { anyAddress } from "../../../src/policy/policy.ts";
import { mockSocketConnect } from "../../network/scripted-dialler.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createPathLineScheme } from "../test-schemes.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const schemes = [createPathLineScheme("x-line")];

describe("connectionAttemptDelayMs (RFC 8305 §8)", () => {
  it.each([
    ["the default connectionAttemptDelayMs of 250 ms", {}, {}, 250],
    ["the connectionAttemptDelayMs of the client", { connectionAttemptDelayMs: 100 }, {}, 100],
    [
      "the connectionAttemptDelayMs of the request",
      { connectionAttemptDelayMs: 100 },
      { connectionAttemptDelayMs: 40 },
      40,
    ],
  ])("a request uses %s", async (_, clientOptions, requestOptions, delayMs) => {
    const dialled = mockSocketConnect({});
    const client = createClient({
      schemes,
      policy: anyAddress(),
      resolver: () => Promise.resolve(["2001:db8::1", "192.0.2.1"]),
      ...clientOptions,
    });
    const outcome = catchAccessError(client.dereference("x-line://h.example:7000/", requestOptions));
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(dialled).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(dialled).toHaveLength(2);
    await client.destroy();
    expect((await outcome).code).toBe("aborted");
  });

  it.each([0, 9, 2_001, 10.5, Infinity, NaN, "250"])(
    "createClient rejects the connectionAttemptDelayMs %s",
    async (value) => {
      const options = { connectionAttemptDelayMs: value as number };
      const message =
        /the option "connectionAttemptDelayMs" has to be a whole number from 10 to 2000, and not/;
      expect(() => createClient({ schemes, ...options })).toThrow(message);
      await expect(
        createClient({ schemes }).dereference("x-line://h.example:7000/", options),
      ).rejects.toThrow(message);
    },
  );
});
