import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../core/access-token.ts'
import type { Abortable } from '../core/waiting.ts'
import type { InteractiveDependencies } from '../operations/recorded-work.ts'
import type { RouteDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'
import type { RouteDescription } from './route-description.ts'

/** A route: its description and its handler. */
export interface Route extends RouteDescription {
  /** Makes the handler, once per server. */
  readonly handle: (deps: RouteDependencies, settings: HttpSettings) => (call: Call) => Promise<unknown> | object
}

/** One request to a route. */
export interface Call {
  readonly incoming: FastifyRequest
  readonly reply: FastifyReply
  /** @throws {TypeError} when the route needs no token. */
  readonly caller: Caller
  /** Dependencies of interactive work. */
  readonly work: InteractiveDependencies
  /** Aborts when the client leaves. */
  readonly options: Abortable
  /** The route's main path, whichever of its addresses was called. */
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  /** Reports a failure after the answer's status was sent. */
  onFailure(error: unknown): void
  /**
   * A parameter of the path.
   *
   * @throws {TypeError} when the path has no such parameter.
   */
  param(name: string): string
}
