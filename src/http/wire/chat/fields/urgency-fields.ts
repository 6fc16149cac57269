import Type from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import { type BodyOf, integerField, optional } from '../../../faults/object-schema.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'

/** The priorities of OpenAI's tiers; all other tiers have the standard priority. */
const tierPriorities: Readonly<Record<string, number>> = { flex: 10, priority: -10, fast: -10 }

/** The priority of a request among those of its account. */
export const urgencyFields = optional({
  service_tier: Type.Enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast'], {
    description: '`flex` is the same as `priority` 10; `priority` and `fast` are the same as -10; every other value means `default`.',
  }),
  priority: integerField(
    -(2 ** 31),
    2 ** 31 - 1,
    'Lower values go first among the waiting requests of your account; the effect is at most that of 30 seconds of waiting. For an asynchronous request, a value over 0 means low priority, as in X-Service-Priority.',
    0,
  ),
})

type UrgencyBody = BodyOf<typeof urgencyFields>

/** Finds a tier and a priority that differ. */
export function findUrgencyFaults({ service_tier: tier = 'auto', priority }: UrgencyBody): readonly FieldFault[] {
  const meant = tierPriorities[tier]
  if (priority === undefined || meant === undefined || priority === meant) return []
  return [fieldFault('priority', 'contradicts `service_tier`; send one of them.')]
}

/** The priority of a request; nothing when it states none. */
export function readUrgency({ service_tier: tier = 'auto', priority = tierPriorities[tier] }: UrgencyBody): { readonly priority?: number } {
  return priority === undefined || priority === 0 ? {} : { priority }
}

/** The tier named in answers; undefined when the request names none. */
export function readTier({ service_tier: tier }: UrgencyBody): 'default' | 'flex' | 'priority' | undefined {
  if (tier === undefined || tier === 'flex') return tier
  return tier === 'priority' || tier === 'fast' ? 'priority' : 'default'
}
