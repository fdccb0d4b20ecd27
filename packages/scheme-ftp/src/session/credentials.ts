import { AccessError } from "@anyscheme/core";
import { hashCredentials } from "@anyscheme/core/io";
import { type AccessContext, bytesToLatin1 } from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";
import type { FtpUrl } from "../syntax.ts";
import type { RememberedFtpServerState } from "./pool.ts";

/**
 * The maximum number of users of one server whose password was requested. When one more user is added, the other users
 * are deleted from the state of the server.
 */
const MAX_PROMPTED_USERS = 1024;

interface FtpCredentialsInit {
  readonly url: FtpUrl;
  readonly serverState: RememberedFtpServerState;
  readonly context: AccessContext<unknown>;
  /** The e-mail address that anonymous users send as password. */
  readonly email: string | undefined;
}

/** The user name and secrets of one request, from the URL or the client's `credentials` callback. RFC 1738 §3.2.1. */
export class FtpCredentials {
  readonly #init: FtpCredentialsInit;
  #requestedPassword: Uint8Array | undefined;
  #hasAccount = false;

  constructor(init: FtpCredentialsInit) {
    this.#init = init;
  }

  /** True for a login without a user name and without a password. */
  get isAnonymous(): boolean {
    return this.#init.url.user === undefined && !this.#urlPassword() && !this.#requestedPassword;
  }

  /**
   * Returns the pool keys of the sessions that this login may use. Requests the password again if the server
   * required one that the URL lacks. A request must not use a session with another password.
   */
  async getPoolKeys(): Promise<readonly string[]> {
    const urlKey = this.#key(this.#urlPassword());
    if (!this.#init.serverState.usersPromptedForPassword.has(urlKey)) return [urlKey];
    return [urlKey, this.#key(await this.requestSecret("password"))];
  }

  /** Returns the pool key of a session with this login. Returns `undefined` if the server has requested an account. */
  getSessionPoolKey(): string | undefined {
    if (this.#hasAccount) return undefined;
    if (this.#requestedPassword)
      rememberUserPromptedForPassword(this.#init.serverState, this.#key(this.#urlPassword()));
    return this.#key(this.#requestedPassword ?? this.#urlPassword());
  }

  /**
   * Requests an FTP password or account from the caller. Throws `authentication-required` if the caller provides none.
   */
  async requestSecret(requestedSecret: "password" | "account"): Promise<Uint8Array> {
    if (requestedSecret === "password" && this.#requestedPassword) return this.#requestedPassword;
    const { scheme, host, effectivePort: port, user: rawUser } = this.#init.url;
    const user = rawUser === undefined ? undefined : percentDecodeText(rawUser);
    const answer = await this.#init.context.requestCredentials({ scheme, host, port, user, requestedSecret });
    if (!answer) {
      const advice = `set the option credentials of the client to provide the ${requestedSecret}`;
      throw new AccessError("authentication-required", `the server asks for the ${requestedSecret}`, {
        advice,
      });
    }
    const secret = new TextEncoder().encode(answer.password);
    if (requestedSecret === "password") this.#requestedPassword = secret;
    else this.#hasAccount = true;
    return secret;
  }

  #urlPassword(): Uint8Array | undefined {
    const { password } = this.#init.url;
    return password === undefined ? undefined : percentDecode(password);
  }

  #key(password: Uint8Array | undefined): string {
    const { user } = this.#init.url;
    // The e-mail address of an anonymous user is not secret.
    if (user === undefined && password === undefined)
      return `${this.#init.serverState.key} ${this.#init.email ?? ""}`;
    return hashCredentials([this.#init.serverState.key, user ?? "", password && bytesToLatin1(password)]);
  }
}

function rememberUserPromptedForPassword(
  { usersPromptedForPassword: users }: RememberedFtpServerState,
  key: string,
): void {
  if (users.size >= MAX_PROMPTED_USERS) users.clear();
  users.add(key);
}
