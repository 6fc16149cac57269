import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../core/access-token.ts'
import type { ErrorRecord } from '../core/error.ts'
import type { UsageEntry } from '../core/usage.ts'
import { finishedRequest } from '../operations/requests/request-recorder.ts'
import { callerOf } from './caller.ts'
import { clientSignal } from './client-signal.ts'
import type { RouteDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'
import type { Call, Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A token needs one of these scopes; absent = any. */
    readonly scopes?: readonly Scope[]
  }
}

/** Registers routes. The limits of a row become its configuration, which the hooks around handlers read. */
export async function serveRoutes(
  server: FastifyInstance,
  routes: readonly Route[],
  { deps, settings }: { readonly deps: RouteDependencies; readonly settings: HttpSettings },
): Promise<void> {
  const serve = (scope: FastifyInstance, route: Route): void => {
    const handle = route.handle(deps, settings)
    const config = configOf(route)
    const isPrompt = dependsOnlyOnStore(route)
    for (const address of [route.path, ...(route.alsoAt ?? [])])
      scope.route({
        method: route.method,
        url: urlOf(address),
        config,
        ...(route.refusesHead && { exposeHeadRoute: false }),
        handler: (incoming, reply) => {
          if (isCutShort(incoming)) return reply.callNotFound()
          const call = callOf(route, { incoming, reply, deps, settings })
          return isPrompt ? deps.deadline.keep(reply, () => handle(call)) : handle(call)
        },
      })
  }
  for (const route of routes) if (route.takes !== 'bytes') serve(server, route)
  // Files are stored as they arrive, whatever their content type.
  await server.register(async (uploads) => {
    uploads.removeAllContentTypeParsers()
    uploads.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    for (const route of routes) if (route.takes === 'bytes') serve(uploads, route)
  })
}

function configOf({ scopes, body, spends, model, largeBody, takes, parameters = [], idleQuery = [] }: Route): FastifyContextConfig {
  const query = parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name.replace('[…]', '[]')] : []))
  return {
    query: [...query, ...idleQuery],
    ...(scopes !== null && { scopes }),
    ...(spends && { spends }),
    ...(model && { model }),
    ...(largeBody && { largeBody }),
    ...(body !== undefined && { hasBody: true as const }),
    ...(takes === 'form' && { form: 'memory' as const }),
    ...(takes === 'stored-form' && { form: 'stored' as const }),
  }
}

function callOf(
  { path }: Route,
  {
    incoming,
    reply,
    deps,
    settings,
  }: {
    readonly incoming: FastifyRequest
    readonly reply: FastifyReply
    readonly deps: RouteDependencies
    readonly settings: HttpSettings
  },
): Call {
  return {
    incoming,
    reply,
    path,
    options: { signal: clientSignal(reply) },
    query: Object(incoming.query),
    get work() {
      const { pool, ledger, books, clock, priceOf, observer, recordRequest } = deps
      const { runLimitMs } = settings
      const onWork = observer.watchWork()
      return {
        pool,
        ledger,
        usage: books,
        clock,
        runLimitMs,
        priceOf,
        onWork,
        onEnded: (entry: UsageEntry, error: ErrorRecord | null) => recordRequest(finishedRequest(incoming.id, entry, error)),
        onBooked: (entry: UsageEntry) => observer.workFinished(entry),
        onFault: (error: unknown) => observer.faultSurvived({ requestId: incoming.id, error }),
      }
    },
    get caller() {
      return callerOf(incoming)
    },
    onFailure(error) {
      deps.observer.faultSurvived({ requestId: incoming.id, error })
    },
    param(name) {
      const params: Readonly<Record<string, string>> = Object(incoming.params)
      const value = params[path.includes(`{+${name}}`) ? '*' : name]
      if (value === undefined) throw new TypeError(`The path ${path} has no parameter ${name}`)
      return value
    },
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

/** Whether an address ends where its parameter would begin, as with a trailing slash. No resource has it. */
function isCutShort({ params }: FastifyRequest): boolean {
  return Object.entries<unknown>(Object(params)).some(
    ([name, value]) => typeof value === 'string' && (name === '*' ? /^\/*$/.test(value) : value === ''),
  )
}
