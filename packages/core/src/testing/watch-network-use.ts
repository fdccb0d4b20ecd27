import { createHook } from "node:async_hooks";

/** The resources of `node:async_hooks` that Node.js creates for sockets. <https://nodejs.org/api/async_hooks.html> */
export const SOCKET_RESOURCES: readonly string[] = ["TCPWRAP", "PIPEWRAP", "UDPWRAP", "TLSWRAP"];

/** The resources of `node:async_hooks` that Node.js creates for look-ups of names. */
export const NAME_LOOKUP_RESOURCES: readonly string[] = [
  "GETADDRINFOREQWRAP",
  "GETNAMEINFOREQWRAP",
  "QUERYWRAP",
];

/** The uses of the network since the call of {@link watchNetworkUse}. */
export interface NetworkUseWatch extends Disposable {
  readonly created: readonly string[];
}

/** Records the `node:async_hooks` resources of the given types that this process creates. */
export function watchNetworkUse(types: readonly string[]): NetworkUseWatch {
  const created: string[] = [];
  const hook = createHook({
    init(_id, type) {
      if (types.includes(type)) created.push(type);
    },
  }).enable();
  return { created, [Symbol.dispose]: () => void hook.disable() };
}
