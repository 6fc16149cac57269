import Type, { type TInteger, type TSchema, type TUnsafe } from 'typebox'
import { type AccountLimits, limitNames, limitRanges, type UseLimits, useLimitNames } from '../core/limits/use-limits.ts'
import { nullable } from '../http/faults/object-schema.ts'

/** Limits of a token; an absent or null limit is removed. */
export const tokenLimitsField: TUnsafe<Partial<UseLimits>> = limitsField(useLimitNames, (range) => range)

/** Changes of an account's limits; an absent limit is unchanged, a null one is removed. */
export const accountLimitsField: TUnsafe<Partial<AccountLimits>> = limitsField(limitNames, nullable)

function limitsField(names: readonly (keyof AccountLimits)[], field: (range: TInteger) => TSchema): TUnsafe<Partial<AccountLimits>> {
  const fields = names.map((name) => {
    const { least: minimum, most: maximum } = limitRanges[name]
    return [name, Type.Optional(field(Type.Integer({ minimum, maximum })))] as const
  })
  return Type.Unsafe(Type.Object(Object.fromEntries(fields), { additionalProperties: false }))
}
