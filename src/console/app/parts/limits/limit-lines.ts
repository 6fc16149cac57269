import { formatLimit, limitNames, limitWords } from '../../../../core/limits/limit-words.ts'
import type { UseLimits } from '../../../../core/limits/use-limits.ts'

/** The limits that somebody has, a line each: `20,000 tokens/day`. */
export function limitLines(limits: UseLimits): readonly string[] {
  return limitNames.flatMap((name) => {
    const most = limits[name]
    if (most === null) return []
    const { noun, per } = limitWords[name]
    const amount = noun === 'money' ? `${formatLimit(name, most)} money` : `${most.toLocaleString('en')} ${noun}${most === 1 ? '' : 's'}`
    return [per === null ? `${amount} at once` : `${amount}/${per}`]
  })
}
