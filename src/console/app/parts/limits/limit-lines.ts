import { type AccountLimits, limitNames, type UseLimits } from '../../../../core/limits/use-limits.ts'
import { limitTexts } from './limit-texts.ts'

/** The limits that somebody has, a line each: `20,000 tokens/day`. */
export function limitLines(limits: UseLimits & Partial<AccountLimits>): readonly string[] {
  return limitNames.flatMap((name) => {
    const most = limits[name] ?? null
    return most === null ? [] : [limitTexts[name].line(most)]
  })
}
