import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'

/** How OpenAI's tiers rank among requests; a tier that is not here is the standard one. */
const tierPriorities: Readonly<Record<string, number>> = { flex: 10, priority: -10, fast: -10 }

/** How urgent a request is among the others of its account. */
export const urgencyFields = {
  service_tier: Type.Optional(
    Type.Enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast'], {
      description: 'As `priority` 10 (flex) or -10 (priority, fast); the others are one tier, default.',
    }),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: -(2 ** 31),
      maximum: 2 ** 31 - 1,
      default: 0,
      description:
        'Lower goes first among the waiting requests of your account; the difference is made up by waiting 30 seconds. An asynchronous request over 0 is low, as with X-Service-Priority.',
    }),
  ),
}

const example = Type.Object(urgencyFields)
type UrgencyBody = Static<typeof example>

/** A tier and a priority that are not the same. */
export function findUrgencyFaults({ service_tier: tier = 'auto', priority }: UrgencyBody): readonly FieldFault[] {
  const meant = tierPriorities[tier]
  if (priority === undefined || meant === undefined || priority === meant) return []
  return [{ path: ['priority'], message: '`priority` contradicts `service_tier`; send one of them.', kind: 'conflict' }]
}

/** What a request says of itself, where it says anything. */
export function readUrgency({ service_tier: tier = 'auto', priority = tierPriorities[tier] }: UrgencyBody): { readonly priority?: number } {
  return priority === undefined || priority === 0 ? {} : { priority }
}

/** The tier that answers name; undefined where nobody asked for one. */
export function readTier({ service_tier: tier }: UrgencyBody): 'default' | 'flex' | 'priority' | undefined {
  if (tier === undefined || tier === 'flex') return tier
  return tier === 'priority' || tier === 'fast' ? 'priority' : 'default'
}
