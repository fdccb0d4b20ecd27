/** A connection that the guard has opened. Other rooms know the type from here: they have no way to the module that makes one. */
export type { Socket } from "node:net";
