import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../core/error.ts'
import { shortName } from '../core/requests/request-record.ts'
import { type KnownMethods, unknownAddress } from './answers/not-offered.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Query parameters that a route reads: `name[]` for every `name[…]`, `*` for any others, which it ignores. None by default. */
    readonly query?: readonly string[]
  }
}

/** Azure's clients send a version with every request. */
const ignored: readonly string[] = ['api-version']

/**
 * Refuses a request that leaves out a parameter of its path, as one to an unknown path, and one with query parameters that its route does not read.
 *
 * @throws {ServiceError} `not_found`; `invalid_request_error` naming the first unknown parameter.
 */
export function requireKnownAddress(request: FastifyRequest, methods: KnownMethods): void {
  if (isCutShort(request)) throw unknownAddress(request.url, methods)
  refuseOthers(request.query, request.routeOptions.config.query ?? [])
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
  if (known.includes('*')) return
  const names = Object.keys(Object(query)).filter((name) => !ignored.includes(name))
  const unknown = names.find((name) => !known.includes(name.replace(/\[.*\]$/s, '[]')))
  if (unknown === undefined) return
  const name = shortName(unknown)
  const advice = known.length === 0 ? 'remove it; this address has none' : `use ${known.join(', ').replace('[]', '[…]')}`
  throw new ServiceError('invalid_request_error', `\`${name}\` is not a known query parameter: ${advice}.`, { param: name })
}
