import { expectedLimit, formatLimit, limitNames, limitWords, parseLimit, useLimitNames } from '../core/limits/limit-words.ts'
import type { AccountLimits, UseLimits } from '../core/limits/use-limits.ts'
import type { CommandFlag, CommandResult } from './command.ts'
import { UsageError } from './usage-error.ts'

const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** A flag for every limit of an account. */
export const limitFlags = limitNames.map(makeFlag)
/** A flag for every limit of a token. */
export const useLimitFlags = useLimitNames.map(makeFlag)

function makeFlag(name: keyof AccountLimits): CommandFlag {
  const form = limitWords[name].noun === 'money' ? '<amount> | none' : '<number> | none'
  return { name: flagOf(name), form, help: limitWords[name].help }
}

/** The limits that the flags name. @throws {UsageError} naming every one that cannot be. */
export function readLimitFlags(flags: ReadonlyMap<string, string>): Partial<AccountLimits> {
  const given = limitNames.flatMap((name) => {
    const text = flags.get(flagOf(name))
    return text === undefined ? [] : [{ name, text, value: text === 'none' ? null : parseLimit(name, text) }]
  })
  const faults = given
    .filter(({ text, value }) => value === null && text !== 'none')
    .map(({ name, text }) => ({
      where: `--${flagOf(name)}`,
      message: `expected ${expectedLimit(name)}, or none; got ${JSON.stringify(text)}.`,
    }))
  if (faults.length > 0) throw new UsageError(faults)
  return Object.fromEntries(given.map(({ name, value }) => [name, value]))
}

/** All limits, for people and as JSON. */
export function showLimits(limits: UseLimits | AccountLimits): CommandResult {
  const lines = entriesOf(limits).map(([name, limit]) => `${flagOf(name)}: ${limit === null ? 'none' : formatLimit(name, limit)}`)
  return { text: lines.join('\n'), json: limitFields(limits) }
}

/** The limits by their names in JSON; money in millionths is written as an amount. */
export function limitFields(limits: UseLimits | AccountLimits): Readonly<Record<string, number | null>> {
  return Object.fromEntries(
    entriesOf(limits).map(([name, limit]) => [flagOf(name).replaceAll('-', '_'), limit === null ? null : Number(formatLimit(name, limit))]),
  )
}

function entriesOf(limits: UseLimits | AccountLimits): readonly (readonly [keyof AccountLimits, number | null])[] {
  return 'weight' in limits ? limitNames.map((name) => [name, limits[name]]) : useLimitNames.map((name) => [name, limits[name]])
}
