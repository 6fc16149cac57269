import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Caller } from '../core/access-token.ts'
import { ServiceError } from '../core/error.ts'
import type { TokenHolder } from '../operations/access/authenticate.ts'
import { RecentValues } from '../operations/access/recent-values.ts'
import { AnswerDeadline } from './answers/answer-deadline.ts'
import { answerParserError } from './answers/answer-parser-error.ts'
import { isNotOffered, type KnownMethods, notInMessagesApi, rememberMethods, unknownAddress } from './answers/not-offered.ts'
import { sendError } from './answers/send-error.ts'
import { isMessagesSurface } from './answers/surface.ts'
import { completeBodies } from './body/complete-bodies.ts'
import { closeAfterBody, DiscardedBodies, holdContinue } from './body/discarded-bodies.ts'
import { acceptJsonBodies } from './body/read-body.ts'
import { logAnswers, logBodies } from './body-log.ts'
import { callerOf, identifyCaller, requireScope } from './caller.ts'
import { clientSignal, registerWork } from './client-signal.ts'
import { allowOrigins } from './cross-origin.ts'
import { chooseRequestId } from './headers/request-id.ts'
import type { HttpDependencies, RouteDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'
import { requireKnownAddress } from './known-query.ts'
import { AccountPlaces } from './limits/account-places.ts'
import { createProxyTrust } from './limits/client-address.ts'
import { capConnections } from './limits/connection-cap.ts'
import { DrawingsUnderWay } from './limits/drawings-under-way.ts'
import { limitPipelining } from './limits/pipelining.ts'
import { type RatedSubject, RateLimiter } from './limits/rate-limit.ts'
import { requireBudget } from './limits/require-budget.ts'
import { createLoopbackCaller } from './loopback-caller.ts'
import { addBasePath, withoutAzurePath, withoutPrefix } from './path-prefix.ts'
import { probeRoutes } from './routes/service.ts'
import { routes } from './routes.ts'
import { serveRoutes } from './serve-routes.ts'
import { watchRequests } from './watch-requests.ts'

/** Longer than any header section Node accepts, so that no path is too long for a route. */
const longestParameter = 65_536

/** Longest time to receive a request; then the answer is 408. */
const slowestRequestMs = 5 * 60_000

/** Longest time to receive a request's head, which fits into a packet or two. */
const slowestHeadMs = 15_000

/** Longer than clients keep idle connections: Go's and Rust's up to 90 s. Otherwise one may send a request while its connection is being closed, and lose it. */
const longestIdleMs = 95_000

/**
 * The public interface as a server that does not listen yet.
 *
 * Other parts, such as the console, can register routes on it. These get request ids, error bodies and 405 answers too, but no
 * authentication.
 */
export async function createHttpServer(deps: HttpDependencies, settings: HttpSettings): Promise<FastifyInstance> {
  const { listen, pathPrefixes: prefixes } = settings
  const isTrustedProxy = createProxyTrust(listen.trustedProxies)
  const server = fastify({
    logger: false,
    genReqId: ({ headers }) => chooseRequestId(headers),
    requestIdHeader: false,
    trustProxy: listen.trustedProxies.length > 0 && isTrustedProxy,
    rewriteUrl: ({ url = '/' }) => asPath(withoutAzurePath(withoutPrefix(url, prefixes))),
    requestTimeout: slowestRequestMs,
    keepAliveTimeout: longestIdleMs,
    routerOptions: { maxParamLength: longestParameter },
    clientErrorHandler: answerParserError,
    return503OnClosing: false,
    // Node would answer a missing Host itself, without a request id.
    http: { requireHostHeader: false, headersTimeout: slowestHeadMs, connectionsCheckingInterval: 5000 },
    forceCloseConnections: 'idle',
    // Fastify would load its own checker and writer of bodies, 4 MB that no route uses.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
  })
  limitPipelining(server.server)
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))
  const methods = rememberMethods(server)
  watchRequests(server, deps)
  allowOrigins(server, listen.corsOrigins)
  addBasePath(server, prefixes[0] ?? '')
  capConnections(server, { ...settings, ...listen, isTrustedProxy })
  answerFailures(server, deps, methods)
  const deadline = new AnswerDeadline(deps.deadlineClock)
  holdContinue(server)
  acceptJsonBodies(server, { clock: deps.clock, deadline }, settings)
  const offered = settings.probesOnly ? probeRoutes : routes
  const places = new AccountPlaces(deps.counts, settings.accounts.streams)
  const further = {
    ...deps,
    maxDocumentBytes: settings.accounts.documentBytes,
    places,
    drawings: new DrawingsUnderWay(),
    deadline,
    routes: offered,
  }
  const service = { deps: further, settings }
  await server.register(async (open) => {
    open.addHook('onRequest', async (request) => requireKnownAddress(request, methods))
    const openRoutes = offered.filter(({ scopes }) => scopes === null)
    await serveRoutes(open, openRoutes, service)
  })
  await server.register(async (api) => {
    protect(api, { ...further, methods }, settings)
    logAnswers(api)
    const tokenRoutes = offered.filter(({ scopes }) => scopes !== null)
    await serveRoutes(api, tokenRoutes, service)
  })
  return server
}

function refuseSchemas(): never {
  throw new Error('A route states its schemas in its row, not to Fastify.')
}

/** Paths with invalid percent-encoding, and `*`, are treated like any other path and find no resource. */
function asPath(url: string): string {
  if (url === '*') return '/*'
  if (!url.includes('%')) return url
  try {
    decodeURI(url)
    return url
  } catch {
    return url.replaceAll('%', '%25')
  }
}

function answerFailures(server: FastifyInstance, deps: HttpDependencies, methods: KnownMethods): void {
  const discarded = new DiscardedBodies()
  server.setErrorHandler((thrown, request, reply) => {
    discarded.add(request.raw)
    // Fastify closes a connection whose body it did not read, which can destroy the answer; the rest of the body is discarded instead. A body
    // that arrives too slowly is not read any further.
    const tooSlow = thrown instanceof ServiceError && thrown.code === 'request_timeout'
    if (!deps.isDraining() && !tooSlow) {
      if (reply.hasHeader('connection')) reply.removeHeader('connection') // else Node would leave out its own
      closeAfterBody(request, reply)
    }
    const error = sendError(reply, thrown)
    const hasReason = !(error instanceof ServiceError) || error.cause !== undefined
    if (reply.statusCode >= 500 && hasReason && !clientSignal(reply).aborted) deps.observer.faultSurvived({ requestId: request.id, error })
  })
  server.setNotFoundHandler((request, reply) => {
    discarded.add(request.raw)
    if (!deps.isDraining()) closeAfterBody(request, reply)
    const allowed = isNotOffered(request.url) ? [] : methods.of(request.url.split('?')[0] ?? '')
    if (allowed.length === 0) return sendError(reply, unknownAddress(request.url, methods))
    reply.header('allow', [...allowed, 'OPTIONS'].join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    return sendError(reply, new ServiceError('method_not_allowed', `Use ${allowed.join(' or ')} at this address.`))
  })
}

/** Registers `api` with authentication: all its routes need an access token. */
function protect(api: FastifyInstance, deps: RouteDependencies & { readonly methods: KnownMethods }, settings: HttpSettings): void {
  const recent = new RecentValues<TokenHolder>(deps.clock)
  const limiter = new RateLimiter(deps)
  const open = settings.listen.openOnLoopback ? { authenticateLoopback: createLoopbackCaller(deps) } : {}
  const identification = { ...deps, ...open, recent }
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = await identifyCaller(identification, request, reply)
    const { accountId, accountLimits: limits } = caller
    if (isMessagesSurface(request) && /^\/v1\/files(?:[/?]|$)/.test(request.url)) throw notInMessagesApi('/v1/files')
    registerWork(deps, caller, reply)
    deps.places.allowStreams(accountId, limits.openStreams)
    // The console reads an answer with requests of its own.
    const isReading = caller.tokenId === null && request.method === 'GET'
    const rated = isReading ? [] : ratedSubjects(caller, limits.requestsPerMinute ?? settings.requests.perMinute)
    if (rated.length > 0) await limiter.count(rated, reply)
    if (deps.isDraining() && request.method === 'POST')
      throw new ServiceError('shutting_down', 'The service is restarting; send the request again shortly.', { retryAfterSeconds: 5 })
    const { scopes, spends } = request.routeOptions.config
    if (scopes !== undefined) requireScope(caller, scopes)
    if (spends !== undefined) await requireBudget(deps, { caller, spends, reply })
  }
  api.addHook('onRequest', async (request, reply) => {
    await deps.deadline.keep(reply, () => admit(request, reply))
    requireKnownAddress(request, deps.methods)
    const { spends } = request.routeOptions.config
    const log = spends === undefined ? null : deps.bodies.of(callerOf(request).accountId)
    if (log !== null) logBodies(deps.bodies, log, request, reply)
  })
  completeBodies(api, deps, settings)
}

/** The account and token whose requests per minute are counted. */
function ratedSubjects({ accountId, tokenId, requestsPerMinute }: Caller, perMinute: number | null): readonly RatedSubject[] {
  const account = perMinute === null ? [] : [{ of: 'account', id: accountId, limit: perMinute } as const]
  if (tokenId === null || requestsPerMinute === undefined) return account
  return [...account, { of: 'token', id: tokenId, limit: requestsPerMinute }]
}
