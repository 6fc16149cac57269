import { formatLimit, limitNames, limitWords } from '../../../../core/limits/limit-words.ts'
import type { AccountLimits, UseLimits } from '../../../../core/limits/use-limits.ts'

/** The limits that somebody has, a line each: `20,000 tokens/day`. */
export function limitLines(limits: UseLimits & Partial<AccountLimits>): readonly string[] {
  return limitNames.flatMap((name) => {
    const most = limits[name] ?? null
    if (most === null) return []
    const { noun, per } = limitWords[name]
    if (noun === 'turn') return [`weight ${most}`]
    const amount = noun === 'money' ? `${formatLimit(name, most)} money` : `${most.toLocaleString('en')} ${noun}${most === 1 ? '' : 's'}`
    if (per !== null) return [`${amount}/${per}`]
    return [noun === 'request' ? `${amount} at once` : amount]
  })
}
