import type { DirectoryEntry, DirectoryResource, Resource } from "../scheme/resource.ts";
import type { Scheme } from "../scheme/scheme.ts";
import type { Plan } from "../scheme/plan.ts";
import type { GenericUrl, Url } from "../syntax/index.ts";
import type { DereferenceOptions } from "./options.ts";

/** A URL as text, a URL that a client has parsed, or a URL object of the platform. */
export type UrlInput = string | Url | URL;

/** The union of the names of the schemes `S`. */
export type NameOfScheme<S> = S extends Scheme<infer U> ? U["scheme"] : never;
type SchemeWithName<S, Name extends string> =
  S extends Scheme<infer U> ? (Name extends U["scheme"] ? S : never) : never;
type UrlOf<S> = S extends Scheme<infer U> ? U : never;
type ResourceOf<S> = S extends Scheme<infer _U, infer R> ? R : never;
type SchemeRequestOptionsOf<S> = S extends Scheme<infer _U, infer _R, infer O> ? O : never;

/** The scheme that parses a URL literal, or `never` when the client has no such scheme. */
type SchemeFor<S, T> = T extends `${infer Name}:${string}`
  ? SchemeWithName<S, Lowercase<Name>>
  : T extends Url<infer Name>
    ? SchemeWithName<S, Name>
    : never;

/**
 * The type of the URL that `client.parse(text)` returns. `S` are the schemes of the client, and `T` is the literal type
 * of the text, which determines the scheme.
 */
export type UrlTypeForInput<S extends Scheme, T extends UrlInput> =
  IsUnknownScheme<T> extends true
    ? UrlOf<S> | GenericUrl
    : [SchemeFor<S, T>] extends [never]
      ? GenericUrl
      : UrlOf<SchemeFor<S, T>>;

/** The type of the plan that `client.plan` returns for a URL. */
export type PlanTypeForUrl<S extends Scheme, T extends UrlInput> = Plan<UrlTypeForInput<S, T>>;

/** True when the type of an input does not determine its scheme. */
type IsUnknownScheme<T> = string extends SchemeNameIn<T> ? true : false;

/** The scheme name that the type of an input determines, or `string`. */
type SchemeNameIn<T> =
  T extends Url<infer Name>
    ? Name
    : T extends `${infer Name}:${string}`
      ? Name extends RelativePrefix
        ? string
        : LiteralOrString<Name>
      : // A template such as `${base}/users`, or a URL relative to the base URL of an extended client.
        string;

/** A text before a colon that is no scheme name, because it contains "/", "?" or "#". RFC 3986 §4.2. */
type RelativePrefix = `${string}${"/" | "?" | "#"}${string}`;

/**
 * Replaces a type pattern such as `${string}x` by the type `string`. A type without required properties extends a
 * `Record` of a pattern, which has an index signature, but not a `Record` of a literal, which has a required property.
 */
type LiteralOrString<Name extends string> =
  { readonly noProperty?: never } extends Record<Name, unknown> ? string : Name;

/** The resource type of a dereferenced URL. The union of all schemes' resources when the scheme is unknown. */
export type ResourceTypeForUrl<S extends Scheme, T> =
  IsUnknownScheme<T> extends true
    ? ResourceOf<S>
    : [SchemeFor<S, T>] extends [never]
      ? Resource
      : ResourceOf<SchemeFor<S, T>>;

type EntryOf<R> = R extends DirectoryResource<infer E> ? E : never;

/** The type of the entries that `client.list` yields for a URL. */
export type EntryTypeForUrl<S extends Scheme, T> = [EntryOf<ResourceTypeForUrl<S, T>>] extends [never]
  ? DirectoryEntry
  : EntryOf<ResourceTypeForUrl<S, T>>;

/**
 * The request options of those schemes that declare options. A scheme whose name the compiler does not know may have
 * any options, which the client checks when it is called. The comparison with `string` is written as a comparison of
 * functions, because `Client` is covariant in `S` only if `S` does not occur after `extends`.
 */
type DeclaredSchemeRequestOptions<S> = S extends Scheme
  ? ((name: NameOfScheme<S>) => void) extends (name: string) => void
    ? Readonly<Record<string, unknown>> | object
    : [keyof SchemeRequestOptionsOf<S>] extends [never]
      ? never
      : SchemeRequestOptionsOf<S>
  : never;

/** The request options that the scheme of a URL adds. The options of all schemes when the scheme is unknown. */
export type SchemeRequestOptionsFor<S extends Scheme, T> =
  IsUnknownScheme<T> extends true
    ? EmptyObjectIfNever<DeclaredSchemeRequestOptions<S>>
    : EmptyObjectIfNever<DeclaredSchemeRequestOptions<SchemeFor<S, T>>>;

/** The options of a request for a URL: the options of every request, and those that the scheme of the URL adds. */
export type RequestOptionsFor<S extends Scheme, T> = DereferenceOptions & SchemeRequestOptionsFor<S, T>;

/** Replaces the type `never` by an object type without properties. */
type EmptyObjectIfNever<O> = [O] extends [never] ? object : O;
