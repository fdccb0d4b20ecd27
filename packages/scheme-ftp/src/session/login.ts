import { AccessError } from "@anyscheme/core";
import type { AccessContext, PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";
import { credentialsKey, type ServerRecord } from "./pool.ts";
import type { FtpUrl } from "../url/syntax.ts";

/** No identity of a further access. */
export const ACCOUNT: string = "account";

/** Who logs in where. RFC 1738 §3.2.1. */
export class Login {
  readonly host: string;
  /** The user of the URL, decoded; `undefined` for anonymous users. */
  readonly user: string | undefined;
  /** Whether an answer may hold control bytes, as a password of the URL may. */
  readonly allowControlCharacters: boolean | undefined;
  readonly #url: FtpUrl;
  readonly #server: ServerRecord;
  readonly #context: AccessContext<unknown>;
  readonly #email: string | undefined;
  #answer: Uint8Array | undefined;
  #account = false;

  constructor(
    url: FtpUrl,
    server: ServerRecord,
    context: AccessContext<unknown>,
    { allowControlCharacters, email }: PlanOptions,
  ) {
    this.allowControlCharacters = allowControlCharacters;
    this.host = url.effectiveHost;
    this.user = url.user === undefined ? undefined : percentDecodeText(url.user);
    this.#url = url;
    this.#server = server;
    this.#context = context;
    this.#email = email;
  }

  /**
   * Under which names a kept connection may be known. Where a server wanted a password that no URL has, the same question is
   * asked again before a connection is used that another answer has opened.
   */
  identities(): readonly string[] | Promise<readonly string[]> {
    const own = this.#identity(this.#ofUrl());
    if (!this.#server.asked.has(own)) return [own];
    return this.ask("password").then((answer) => [own, this.#identity(answer)]);
  }

  /** The name for a connection that was opened with this login. One with an account is found by nobody else. */
  get identity(): string {
    if (this.#account) return ACCOUNT;
    if (this.#answer) this.#server.asked.add(this.#identity(this.#ofUrl()));
    return this.#identity(this.#answer ?? this.#ofUrl());
  }

  /** Asks the caller. Throws `authentication-required`. */
  async ask(wants: "password" | "account"): Promise<Uint8Array> {
    if (wants === "password" && this.#answer) return this.#answer;
    const { scheme, host, effectivePort: port } = this.#url;
    const answer = await this.#context.requestCredentials({
      scheme,
      host,
      port,
      user: this.user,
      kind: wants,
    });
    if (!answer) {
      const advice = `give the client an option credentials that knows the ${wants}`;
      throw new AccessError("authentication-required", `the server asks for the ${wants}`, { advice });
    }
    const bytes = new TextEncoder().encode(answer.password);
    if (wants === "password") this.#answer = bytes;
    else this.#account = true;
    return bytes;
  }

  #ofUrl(): Uint8Array | undefined {
    const { password } = this.#url;
    return password === undefined ? undefined : percentDecode(password);
  }

  #identity(password: Uint8Array | undefined): string {
    const { user } = this.#url;
    // An e-mail address is no secret.
    if (user === undefined && password === undefined) return `${this.#server.key} ${this.#email ?? ""}`;
    return credentialsKey(this.#server.key, user ?? "", password);
  }
}
