import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { readUsageSpan, type UsageDay, type UsageDimension, usageDimensions } from '../../core/usage.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { type ReportedUsage, reportUsage } from '../../operations/report-usage.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { Usage, UsageReport } from '../contract/usage.ts'
import { createQueryReader } from '../read-console-input.ts'
import { ownerOf, personOf } from '../sign-in/signed-in.ts'
import { usageCsv, usageReportCsv } from '../usage-csv.ts'

const day = Type.String({ maxLength: 20 })
const query = { from: day, to: day, of: Type.Enum(['me', 'everyone']) }
const readQuery = createQueryReader(query)
const readReportQuery = createQueryReader({ ...query, by: Type.String({ maxLength: 100 }) })

/** /console/api/usage, as JSON and as CSV: sums per day and model; for owners also everyone's. */
export function registerUsage(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'usage' | 'ledger' | 'accounts' | 'tokens'>): void {
  const { usage, ledger } = deps
  const read = async (request: FastifyRequest, reply: FastifyReply): Promise<readonly UsageDay[]> => {
    const { of, ...requested } = readQuery(request)
    const { from, to } = readUsageSpan(requested, { now: 0, code: 'validation_error' })
    const accountId = of === 'everyone' ? everyone(request) : personOf(request).id
    return usage.summarize({ accountId, from, to }, { signal: clientSignal(reply) })
  }

  own.get(
    '/console/api/usage',
    async (request, reply): Promise<Usage> => ({
      days: await read(request, reply),
      budgets: await ledger.budgets({ accountId: personOf(request).id, tokenId: null }, { signal: clientSignal(reply) }),
    }),
  )

  own.get('/console/api/usage.csv', async (request, reply) => {
    const text = usageCsv(await read(request, reply))
    return reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="sepia-usage.csv"').send(text)
  })

  const report = (request: FastifyRequest, reply: FastifyReply): Promise<readonly ReportedUsage[]> => {
    const { of, by, ...requested } = readReportQuery(request)
    const { from, to } = readUsageSpan(requested, { now: 0, code: 'validation_error' })
    const accountId = of === 'everyone' ? everyone(request) : personOf(request).id
    return reportUsage(deps, { accountId, from, to, by: readDimensions(by) }, { signal: clientSignal(reply) })
  }

  own.get('/console/api/usage/report', async (request, reply): Promise<UsageReport> => ({ rows: await report(request, reply) }))

  own.get('/console/api/usage/report.csv', async (request, reply) => {
    const text = usageReportCsv(await report(request, reply))
    return reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="sepia-usage.csv"').send(text)
  })
}

/** null = all accounts, for owners only. */
function everyone(request: FastifyRequest): null {
  ownerOf(request)
  return null
}

function readDimensions(by: string): readonly UsageDimension[] {
  const wanted = by.split(',')
  const known = usageDimensions.filter((dimension) => wanted.includes(dimension))
  if (known.length > 0 && known.length === wanted.length) return known
  throw new ServiceError('validation_error', `Ask for sums by one or more of ${usageDimensions.join(', ')}.`, { param: 'by' })
}
