import type { FastifyReply } from 'fastify'
import type { AccountLimits } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { AccountAllowances } from '../../operations/access/account-allowances.ts'
import { clientSignal } from '../client-signal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the work of a route uses up. */
    readonly spends?: 'tokens' | 'images'
  }
}

const dayMs = 24 * 60 * 60 * 1000
const limitNames = { tokens: 'tokensPerDay', images: 'imagesPerDay' } as const satisfies Record<string, keyof AccountLimits>

/**
 * Lets an account start further work of one kind, and sets the `x-ratelimit-*` headers where its amount per UTC day is limited.
 * The books count what has ended, so work that runs or waits can still lead over the limit.
 *
 * @throws {ServiceError} `quota_exceeded` when the day's amount is used up.
 */
export async function requireQuota(
  { allowances, clock }: { readonly allowances: AccountAllowances; readonly clock: Clock },
  { accountId, spends, reply }: { readonly accountId: string; readonly spends: 'tokens' | 'images'; readonly reply: FastifyReply },
): Promise<void> {
  const options = { signal: clientSignal(reply) }
  const limit = (await allowances.limitsOf(accountId, options))[limitNames[spends]]
  if (limit === null) return
  const used = (await allowances.usedToday(accountId, options))[spends]
  const now = clock.now()
  const midnight = (Math.floor(now / dayMs) + 1) * dayMs
  const seconds = Math.ceil((midnight - now) / 1000)
  reply.header(`x-ratelimit-limit-${spends}`, String(limit))
  reply.header(`x-ratelimit-remaining-${spends}`, String(Math.max(0, limit - used)))
  reply.header(`x-ratelimit-reset-${spends}`, `${seconds}s`)
  if (used < limit) return
  const reset = new Date(midnight).toISOString().replace('.000', '')
  throw new ServiceError(
    'quota_exceeded',
    `This account may use ${limit} ${spends} a day and has used ${used}; wait for the reset at ${reset}, or ask an owner for more.`,
    { retryAfterSeconds: seconds },
  )
}
