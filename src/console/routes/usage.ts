import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { UsageDay } from '../../core/usage.ts'
import { clientSignal } from '../../http/client-signal.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { Usage } from '../contract/usage.ts'
import { createQueryReader } from '../read-console-input.ts'
import { ownerOf, personOf } from '../sign-in/signed-in.ts'
import { usageCsv } from '../usage-csv.ts'

const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const readQuery = createQueryReader({ from: day, to: day, of: Type.Enum(['me', 'everyone']) })

/** /console/api/usage, as JSON and as CSV: sums per day and model; everybody's for owners. */
export function registerUsage(own: FastifyInstance, { usage, ledger }: Pick<ConsoleDependencies, 'usage' | 'ledger'>): void {
  const read = async (request: FastifyRequest, reply: FastifyReply): Promise<readonly UsageDay[]> => {
    const { from, to, of } = readQuery(request)
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
}

/** No account in particular, which only owners may ask for. */
function everyone(request: FastifyRequest): null {
  ownerOf(request)
  return null
}
