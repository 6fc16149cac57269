import type { TObject, TSchema } from 'typebox'
import type { Scope } from '../core/access-token.ts'
import type { ErrorStatus } from './faults/error-status.ts'
import type { BodySettings } from './wire/chat/sampling-fields.ts'
import type { ServiceAddresses } from './wire/service-addresses.ts'

/** What a route is: the server, 405, the scope check, the limits and the API document are derived from it. */
export interface RouteDescription {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Parameters in braces: `/v1/requests/{id}`; one of `{+id}` may hold slashes. */
  readonly path: string
  /** Further addresses that do the same; the API document names them only in words. */
  readonly alsoAt?: readonly string[]
  /** Whether the API document leaves the route out, as it does with pages and what refuses by name. */
  readonly isUnlisted?: true
  /** The group of addresses that may have an origin of its own; the public one when left out. */
  readonly origin?: Exclude<keyof ServiceAddresses, 'publicUrl'>
  readonly summary: string
  readonly description?: string
  /** Any one of these lets a token in; null = no token needed. */
  readonly scopes: readonly Scope[] | null
  /** Which of them a token needs, where that depends on the request and the handler checks it. */
  readonly scopeRule?: string
  /** What its work uses up. The body may be large, and answered later where the handler offers that. */
  readonly spends?: 'tokens' | 'images'
  /** Whether the body may be large though the route spends nothing. */
  readonly largeBody?: true
  /** Whether the answer may take longer than the store does: the handler waits for something else, or sets its own limit. */
  readonly takesLonger?: true
  /**
   * What a body without `model` gets: the text model of a setting, else a refusal (`named`) or the handler's choice (`chosen`); an image model (`drawing`). The setting's
   * model also stands in for one that is not installed. Left out = nothing.
   */
  readonly model?: 'named' | 'chosen' | 'drawing'
  /** What the body comes as; JSON when left out. A form is read whole or stored file by file, bytes go to the handler as they come in. */
  readonly takes?: 'form' | 'stored-form' | 'bytes'
  readonly body?: TObject | ((settings: BodySettings) => TObject)
  /** A body as the API document shows it. */
  readonly example?: Readonly<Record<string, unknown>>
  readonly parameters?: readonly RouteParameter[]
  /** Query parameters that are taken and change nothing, so that the API document leaves them out; `*` = any. */
  readonly idleQuery?: readonly string[]
  readonly answers: readonly RouteAnswer[]
  /** Statuses of refusals beyond those of every route: 400 for unknown query parameters, 401, 403, 405 and 500. */
  readonly refusals?: readonly ErrorStatus[]
  /** Whether HEAD is not answered, which would be held open as long as the answer to GET. */
  readonly hasNoHead?: true
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
