import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { listModels } from '../../operations/list-models.ts'
import { reportUsage } from '../../operations/report-usage.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { Route } from '../route.ts'
import { encodeUsage, encodeUsageReport, readUsageDimensions, readUsageQuery, usageSchema } from '../wire/service/usage.ts'
import { inQuery, json, media } from './row-parts.ts'

/** GET /v1/usage: the account's usage, by default per day and model, and its budgets. */
export const showUsage: Route = {
  method: 'GET',
  path: '/v1/usage',
  summary: "Get your account's usage and remaining budgets",
  scopes: ['read'],
  parameters: [
    ...['from', 'to'].map((name) => inQuery(name, 'A UTC day, inclusive; the last 30 days by default.')),
    inQuery(
      'by',
      'One or more of `token`, `model`, `day`, `hour`, separated by commas: groups sums by these and adds latencies. Hours are kept for 31 days.',
    ),
  ],
  answers: [json('Sums per day and model, or by the fields in `by`, and remaining budgets.', usageSchema)],
  refusals: [429],
  handle:
    (deps) =>
    async ({ caller, query, options }) => {
      const { usage, ledger, clock } = deps
      const { accountId } = caller
      const span = readUsageQuery(query, clock.now())
      const by = readUsageDimensions(query)
      if (by !== null)
        return encodeUsageReport(await reportUsage(deps, { accountId, ...span, by }, options), await ledger.budgets(caller, options))
      const days = await usage.summarize({ accountId, ...span }, options)
      return encodeUsage(days, await ledger.budgets(caller, options))
    },
}

const statusSchema = Type.Object({ status: Type.String() })

/** Metrics and health, also on nodes that only compute for others. */
export const probeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/metrics',
    summary: "Metrics in Prometheus' text format",
    // It covers all accounts, so only owners may read it.
    scopes: ['read'],
    answers: [media('The metrics.', 'text/plain')],
    refusals: [429],
    handle:
      (deps) =>
      async ({ reply, caller, options }) => {
        const account = await deps.accounts.find(caller.accountId, options)
        if (account?.role !== 'owner')
          throw new ServiceError('insufficient_scope', 'Use an access token of an owner; the metrics cover every account.')
        return reply.type('text/plain; version=0.0.4; charset=utf-8').send(deps.renderMetrics())
      },
  },
  {
    method: 'GET',
    path: '/healthz',
    // The name in llama.cpp and vLLM.
    alsoAt: ['/health'],
    summary: 'Check liveness',
    description: 'Also at /health.',
    scopes: null,
    answers: [json('The process is alive.', statusSchema)],
    handle: () => () => ({ status: 'ok' }),
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: 'Check readiness',
    scopes: null,
    answers: [json('The service accepts work.', statusSchema)],
    refusals: [503],
    handle: (deps) => async () => {
      await requireReady(deps)
      return { status: 'ready' }
    },
  },
]

/** @throws {ServiceError} `shutting_down`, `server_is_overloaded` or `model_loading` while the service cannot do any work. */
async function requireReady(deps: HttpDependencies): Promise<void> {
  if (deps.isDraining())
    throw new ServiceError('shutting_down', 'The service is restarting; send requests elsewhere.', { retryAfterSeconds: 5 })
  const storageFault = await deps.findStorageFault()
  if (storageFault)
    throw new ServiceError('server_is_overloaded', `The data folder of the service ${storageFault}.`, { retryAfterSeconds: 30 })
  const servable = listModels(deps).some(({ state }) => state?.state !== 'backing-off')
  if (!servable)
    throw new ServiceError('model_loading', 'No model is available; wait, or check the log of the service.', { retryAfterSeconds: 5 })
}
