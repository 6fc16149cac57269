import { expectedLimit, formatLimit, limitNames, limitWords, parseLimit } from '../core/limits/limit-words.ts'
import type { UseLimits } from '../core/limits/use-limits.ts'
import type { CommandFlag, CommandResult } from './command.ts'
import { UsageError } from './usage-error.ts'

const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** A flag for every limit. */
export const limitFlags: readonly CommandFlag[] = limitNames.map((name) => ({
  name: flagOf(name),
  form: limitWords[name].noun === 'money' ? '<amount> | none' : '<number> | none',
  help: limitWords[name].help,
}))

/** The limits that the flags name. @throws {UsageError} naming every one that cannot be. */
export function readLimitFlags(flags: ReadonlyMap<string, string>): Partial<UseLimits> {
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
export function showLimits(limits: UseLimits): CommandResult {
  const value = (name: keyof UseLimits) => limits[name]
  const text = (name: keyof UseLimits) => {
    const limit = value(name)
    return `${flagOf(name)}: ${limit === null ? 'none' : formatLimit(name, limit)}`
  }
  return { text: limitNames.map(text).join('\n'), json: limitFields(limits) }
}

/** The limits by their names in JSON; money in millionths is written as an amount. */
export function limitFields(limits: UseLimits): Readonly<Record<string, number | null>> {
  return Object.fromEntries(
    limitNames.map((name) => {
      const limit = limits[name]
      return [flagOf(name).replaceAll('-', '_'), limit === null ? null : Number(formatLimit(name, limit))]
    }),
  )
}
