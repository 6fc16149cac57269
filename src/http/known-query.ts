import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../core/error.ts'
import { shortName } from '../core/requests/request-record.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Query parameters that a route reads: `name[]` for every `name[…]`, `*` for any others, which it ignores. None by default. */
    readonly query?: readonly string[]
  }
}

/** Azure's clients send a version with every request. */
const ignored: readonly string[] = ['api-version']

/**
 * Rejects requests to the routes of this scope with query parameters that a route does not read, and answers those that leave out a parameter of
 * the path as requests to an unknown path.
 *
 * @throws {ServiceError} `invalid_request_error`, from the hook, naming the first unknown parameter.
 */
export function refuseUnknownQuery(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, reply, done) => {
    if (isCutShort(request)) reply.callNotFound()
    else done(findUnknown(request.query, request.routeOptions.config.query ?? []))
  })
}

/** Whether an address ends where its parameter would begin, as with a trailing slash. No resource has it. */
function isCutShort({ params }: FastifyRequest): boolean {
  return Object.entries<unknown>(Object(params)).some(
    ([name, value]) => typeof value === 'string' && (name === '*' ? /^\/*$/.test(value) : value === ''),
  )
}

/**
 * Refuses unknown query parameters, for routes where these depend on the request.
 *
 * @throws {ServiceError} `invalid_request_error` naming the first.
 */
export function refuseOthers(query: unknown, known: readonly string[]): void {
  const refusal = findUnknown(query, known)
  if (refusal !== undefined) throw refusal
}

function findUnknown(query: unknown, known: readonly string[]): ServiceError | undefined {
  if (known.includes('*')) return undefined
  const names = Object.keys(Object(query)).filter((name) => !ignored.includes(name))
  if (names.length === 0) return undefined
  const unknown = names.find((name) => !known.includes(name.replace(/\[.*\]$/s, '[]')))
  if (unknown === undefined) return undefined
  const name = shortName(unknown)
  const advice = known.length === 0 ? 'remove it; this address has none' : `use ${known.join(', ').replace('[]', '[…]')}`
  return new ServiceError('invalid_request_error', `\`${name}\` is not a known query parameter: ${advice}.`, { param: name })
}
