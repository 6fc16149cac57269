import type { TObject, TSchema } from 'typebox'
import type { Scope } from '../core/access-token.ts'
import type { ServiceAddresses } from '../core/service-addresses.ts'
import type { ErrorStatus } from './faults/error-status.ts'
import type { BodySettings } from './wire/chat/sampling-fields.ts'

/** Describes a route. The server, 405 answers, the scope check, the limits and the API document are derived from it. */
export interface RouteDescription {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Parameters in braces: `/v1/requests/{id}`. `{+id}` may contain slashes. */
  readonly path: string
  /** Further addresses of the same route, which the API document only mentions. */
  readonly alsoAt?: readonly string[]
  /** Whether the API document omits the route: pages, and routes that only refuse. */
  readonly isUnlisted?: true
  /** The group of addresses that may have an origin of its own; absent = the public one. */
  readonly origin?: Exclude<keyof ServiceAddresses, 'publicUrl'>
  readonly summary: string
  readonly description?: string
  /** A token needs one of these; null = no token needed. */
  readonly scopes: readonly Scope[] | null
  /** The scope that a token needs where it depends on the request and the handler checks it. */
  readonly scopeRule?: string
  /** The budget that its work uses. Its body may be large, and the handler may offer asynchronous mode. */
  readonly spends?: 'tokens' | 'images'
  /** Whether the body may be large although the route uses no budget. */
  readonly largeBody?: true
  /** Whether the answer may exceed the store's time limit because the handler waits for something else or sets its own. */
  readonly takesLonger?: true
  /**
   * The default model of a body without `model`: `named` uses the text model of a setting or refuses, `chosen` leaves the choice to the
   * handler, and `drawing` uses an image model. The setting's model also replaces one that is not installed. Absent = none.
   */
  readonly model?: 'named' | 'chosen' | 'embedding' | 'drawing'
  /** The kind of body; absent = JSON. A `form` is read whole, a `stored-form` file by file, and `bytes` go to the handler as they arrive. */
  readonly takes?: 'form' | 'stored-form' | 'bytes'
  readonly body?: TObject | ((settings: BodySettings) => TObject)
  /** The body's example in the API document. */
  readonly example?: Readonly<Record<string, unknown>>
  readonly parameters?: readonly RouteParameter[]
  /** Query parameters that are accepted without effect and omitted from the API document; `*` = any. */
  readonly idleQuery?: readonly string[]
  readonly answers: readonly RouteAnswer[]
  /** Error statuses in addition to those of every route: 400 for unknown query parameters, 401, 403, 405 and 500. */
  readonly refusals?: readonly ErrorStatus[]
  /** Whether HEAD is refused, because it would stay open as long as GET. */
  readonly refusesHead?: true
}

export interface RouteParameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly description: string
  readonly schema: TSchema
}

export interface RouteAnswer {
  readonly status: 200 | 202 | 304
  readonly description: string
  readonly content?: Readonly<Record<string, TSchema>>
}
