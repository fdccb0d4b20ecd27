import { describeScheme } from "@anyscheme/core/testing";
import { mailto } from "@anyscheme/scheme-others/mailto";
import { describe, it } from "vitest";

describeScheme({ describe, it }, "mailto", {
  scheme: mailto,
  valid: ["mailto:timbl@info.cern.ch", "mailto:user%25host@gateway.dom", "mailto:;/?:@&="],
  invalid: ["mailto:", "mailto:user%host@gateway.dom", "mailto:a b@h", "http://h/"],
  skip: {
    content: 'RFC 1738 §3.5: the mailto URL "does not represent a data object to be accessed directly"',
  },
  serve: () => Promise.resolve({ url: () => "mailto:timbl@info.cern.ch", stop: () => Promise.resolve() }),
});
