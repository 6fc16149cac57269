import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../core/access-token.ts'
import type { InteractiveDependencies } from '../operations/booked.ts'
import type { RouteDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'
import type { RouteDescription } from './route-description.ts'

/** One route: what it is, and what it does. */
export interface Route extends RouteDescription {
  /** Makes the handler, once for each server. */
  readonly handle: (deps: RouteDependencies, settings: HttpSettings) => (call: Call) => Promise<unknown>
}

/** One request at a route. */
export interface Call {
  readonly incoming: FastifyRequest
  readonly reply: FastifyReply
  /** Who sent it. @throws {TypeError} where a route needs no token. */
  readonly caller: Caller
  /** What work on a model needs that this request waits for. */
  readonly work: InteractiveDependencies
  /** Aborts when the client leaves. */
  readonly options: { readonly signal: AbortSignal }
  /** The route's own path, whichever of its addresses was called. */
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  /** Takes note of what failed when the answer's status was out already. */
  onFailure(error: unknown): void
  /** A parameter of the path. @throws {TypeError} where the path has none of that name. */
  param(name: string): string
}
