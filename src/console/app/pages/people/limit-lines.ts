import type { AccountLimits } from '../../../../core/account.ts'

const endings = [
  ['requestsPerMinute', 'request', 'min'],
  ['tokensPerDay', 'token', 'day'],
  ['imagesPerDay', 'image', 'day'],
  ['tokensPerMonth', 'token', 'month'],
  ['imagesPerMonth', 'image', 'month'],
] as const

/** The limits that an account has, a line each: `20,000 tokens/day`. */
export function limitLines(limits: AccountLimits): readonly string[] {
  return endings.flatMap(([name, noun, period]) => {
    const most = limits[name]
    return most === null ? [] : [`${most.toLocaleString('en')} ${noun}${most === 1 ? '' : 's'}/${period}`]
  })
}
