import type { Url } from "@anyscheme/core";
import { httpMethodOptionKind } from "@anyscheme/core/plugin";
import type { HttpRequestOptions } from "@anyscheme/scheme-http";
import { UsageError } from "../errors/cli-errors.ts";
import { readFileNamedByOption } from "./option-value-files.ts";
import type { OptionValues } from "./options.ts";

/** The request options of http that the command line sets. */
export type CommandLineHttpOptions = Pick<
  HttpRequestOptions,
  "method" | "headers" | "body" | "throwHttpErrors" | "redirect"
>;

/** The media type of the option `--data`, as in curl. */
const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded";

/**
 * Returns the options `--head`, `--include`, `--request`, `--data`, `--data-binary`, `--header` and `--max-redirs 0`
 * for the request of a URL. Throws `UsageError` for an invalid value. With a URL of another scheme than http and https,
 * ignores `--include` and `--header`, and throws `UsageError` for the other options for http.
 */
export function parseCommandLineHttpOptions(
  optionValues: OptionValues,
  { scheme }: Url,
): CommandLineHttpOptions {
  const { head, include, request, data = [], "data-binary": binary = [], header = [] } = optionValues;
  const method = head ? "HEAD" : request;
  const isHttp = scheme === "http" || scheme === "https";
  const hasData = data.length > 0 || binary.length > 0;
  if (head && (request !== undefined || hasData))
    throw new UsageError("--head cannot be used with --request or --data");
  if (!isHttp && head) throw new UsageError(`--head needs an http or https URL, and not ${scheme}; use ls`);
  if (!isHttp && (method !== undefined || hasData))
    throw new UsageError(`--request and --data need an http or https URL, and not ${scheme}`);
  const followsNoRedirect = optionValues["max-redirs"] === "0";
  if (!isHttp && followsNoRedirect)
    throw new UsageError(`--max-redirs 0 needs an http or https URL, and not ${scheme}`);
  if (!isHttp) return {};
  if (method !== undefined && !httpMethodOptionKind.accepts(method))
    throw new UsageError(`--request needs ${httpMethodOptionKind.expects}`);
  const headers = header.map(parseHeader);
  if (hasData && !headers.some(([name]) => name.toLowerCase() === "content-type"))
    headers.push(["content-type", FORM_MEDIA_TYPE]);
  return {
    ...(method === undefined ? hasData && { method: "POST" } : { method }),
    ...(headers.length > 0 && { headers }),
    ...((head || include) && { throwHttpErrors: false }),
    ...(followsNoRedirect && { redirect: head || include ? "manual" : "error" }),
    ...(hasData && { body: joinData([...data.map(readText), ...binary.map(readBytes)]) }),
  };
}

/** Parses `NAME: VALUE`. Throws `UsageError`. */
function parseHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError('--header needs a name and a value, as in "accept: text/html"');
  return [name, value];
}

/** Joins the values of several options with `&`, as curl does. */
function joinData(parts: readonly Uint8Array[]): Uint8Array {
  const separator = Buffer.from("&");
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
}

/** Returns the bytes of a text, or of the file in `@FILE`. Throws `UsageError` for a file that cannot be read. */
function readBytes(text: string): Uint8Array {
  return text.startsWith("@") ? readFileNamedByOption("data", text.slice(1)) : Buffer.from(text);
}

/** Returns the bytes as `readBytes` does, and removes CR, LF and NUL from a file, as `curl --data` does. */
function readText(text: string): Uint8Array {
  const bytes = readBytes(text);
  return text.startsWith("@") ? bytes.filter((byte) => byte !== 0x0d && byte !== 0x0a && byte !== 0) : bytes;
}
