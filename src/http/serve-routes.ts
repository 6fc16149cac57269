import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../core/access-token.ts'
import type { InteractiveDependencies } from '../operations/recorded-work.ts'
import { finishedRequest } from '../operations/requests/request-recorder.ts'
import { callerOf } from './caller.ts'
import { clientSignal } from './client-signal.ts'
import type { RouteDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'
import type { Call, Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A token needs one of these scopes; absent = any. */
    readonly scopes?: readonly Scope[] | undefined
  }
}

/** The service that routes belong to. */
interface Service {
  readonly deps: RouteDependencies
  readonly settings: HttpSettings
}

/** Registers routes. The limits of a row become its configuration, which the hooks around handlers read. */
export async function serveRoutes(server: FastifyInstance, routes: readonly Route[], service: Service): Promise<void> {
  const { deps, settings } = service
  const serve = (scope: FastifyInstance, route: Route): void => {
    const handle = route.handle(deps, settings)
    const config = configOf(route)
    const isPrompt = dependsOnlyOnStore(route)
    for (const address of [route.path, ...(route.alsoAt ?? [])])
      scope.route({
        method: route.method,
        url: urlOf(address),
        config,
        exposeHeadRoute: route.refusesHead !== true,
        handler: (incoming, reply) => {
          const call = new RouteCall(incoming, reply, route.path, service)
          return isPrompt ? deps.deadline.keep(reply, () => handle(call)) : handle(call)
        },
      })
  }
  for (const route of routes) if (route.takes !== 'bytes') serve(server, route)
  // Files are stored as they arrive, whatever their content type.
  await server.register(async (uploads) => {
    uploads.removeAllContentTypeParsers()
    uploads.addContentTypeParser('*', ({ answeredBy: reply }, payload, done) => {
      if (reply !== undefined) deps.deadline.leaveOutBody(reply)
      done(null, payload)
    })
    for (const route of routes) if (route.takes === 'bytes') serve(uploads, route)
  })
}

function configOf({ scopes, body, spends, model, largeBody, takes, parameters = [], idleQuery = [] }: Route): FastifyContextConfig {
  const query = parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name.replace('[…]', '[]')] : []))
  return {
    query: [...query, ...idleQuery],
    scopes: scopes ?? undefined,
    spends,
    model,
    largeBody,
    hasBody: body === undefined ? undefined : true,
    form: takes === 'form' ? 'memory' : takes === 'stored-form' ? 'stored' : undefined,
  }
}

/** One request to a route, with what its handler needs. */
class RouteCall implements Call {
  readonly incoming: FastifyRequest
  readonly reply: FastifyReply
  readonly path: string
  readonly #service: Service

  constructor(incoming: FastifyRequest, reply: FastifyReply, path: string, service: Service) {
    this.incoming = incoming
    this.reply = reply
    this.path = path
    this.#service = service
  }

  get options(): Call['options'] {
    return { signal: clientSignal(this.reply) }
  }

  get query(): Call['query'] {
    return Object(this.incoming.query)
  }

  get caller(): Caller {
    return callerOf(this.incoming)
  }

  get work(): InteractiveDependencies {
    const { pool, ledger, books, clock, priceOf, observer, recordRequest } = this.#service.deps
    const { runLimitMs } = this.#service.settings.requests
    const { id } = this.incoming
    return {
      pool,
      ledger,
      usage: books,
      clock,
      runLimitMs,
      priceOf,
      onWork: observer.watchWork(),
      onEnded: (entry, error) => recordRequest(finishedRequest(id, entry, error)),
      onBooked: (entry) => observer.workFinished(entry),
      onFault: (error) => observer.faultSurvived({ requestId: id, error }),
    }
  }

  readonly onFailure = (error: unknown): void => {
    this.#service.deps.observer.faultSurvived({ requestId: this.incoming.id, error })
  }

  readonly param = (name: string): string => {
    const params: Readonly<Record<string, string>> = Object(this.incoming.params)
    const value = params[this.path.includes(`{+${name}}`) ? '*' : name]
    if (value === undefined) throw new TypeError(`The path ${this.path} has no parameter ${name}`)
    return value
  }
}

/** Whether an answer depends only on the store: no model, no upload, and the route declares no other wait. */
function dependsOnlyOnStore({ spends, largeBody, takes, takesLonger }: Route): boolean {
  return !spends && !largeBody && !takes && !takesLonger
}

/** A path in the router's notation. */
function urlOf(path: string): string {
  return path.replace(/\{\+\w+\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
}
