import {
  type AccountLimits,
  expectedLimit,
  formatLimit,
  limitNames,
  limitWords,
  parseLimit,
  type UseLimits,
  useLimitNames,
} from '../core/limits/use-limits.ts'
import type { Abortable } from '../core/waiting.ts'
import type { AccountDesk } from './cli-backend.ts'
import type { Command, CommandContext, CommandFlag, CommandResult } from './command.ts'
import { UsageError } from './failures.ts'

interface LimitedThing<Thing> {
  readonly words: Command['words']
  readonly summary: string
  readonly argument: Command['argument'] & object
  readonly flags: readonly CommandFlag[]
  readonly find: (desk: AccountDesk, id: string, options: Abortable) => Promise<Thing>
  readonly change: (desk: AccountDesk, thing: Thing, limits: Partial<AccountLimits>, options: Abortable) => Promise<void>
}

/** A command that sets limits by id, or shows them without flags. */
export function limitCommand<Thing extends { readonly limits: UseLimits | AccountLimits }>({
  find,
  change,
  ...described
}: LimitedThing<Thing>): Command {
  return {
    ...described,
    settings: ['data', 'database-url', 'database-url-file'],
    run: async ({ argument, backend, config, flags, signal }: CommandContext) => {
      const changes = readLimitFlags(flags)
      await using desk = await backend.openAccountDesk(config, { signal })
      const found = await find(desk, argument, { signal })
      if (Object.keys(changes).length > 0) await change(desk, found, changes, { signal })
      return showLimits({ ...found.limits, ...changes })
    },
  }
}

const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** A flag for every limit of an account. */
export const limitFlags = limitNames.map(makeFlag)
/** A flag for every limit of a token. */
export const useLimitFlags = useLimitNames.map(makeFlag)

function makeFlag(name: keyof AccountLimits): CommandFlag {
  const form = limitWords[name].noun === 'money' ? '<amount> | none' : '<number> | none'
  return { name: flagOf(name), form, help: limitWords[name].help }
}

/** Parses the limits in flags. @throws {UsageError} with all invalid ones. */
function readLimitFlags(flags: ReadonlyMap<string, string>): Partial<AccountLimits> {
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

/** Formats all limits as text and JSON. */
function showLimits(limits: UseLimits | AccountLimits): CommandResult {
  const lines = entriesOf(limits).map(([name, limit]) => `${flagOf(name)}: ${limit === null ? 'none' : formatLimit(name, limit)}`)
  return { text: lines.join('\n'), json: limitFields(limits) }
}

/** Limits by their JSON names; amounts of money instead of millionths. */
export function limitFields(limits: UseLimits | AccountLimits): Readonly<Record<string, number | null>> {
  return Object.fromEntries(
    entriesOf(limits).map(([name, limit]) => [flagOf(name).replaceAll('-', '_'), limit === null ? null : Number(formatLimit(name, limit))]),
  )
}

function entriesOf(limits: UseLimits | AccountLimits): readonly (readonly [keyof AccountLimits, number | null])[] {
  return 'weight' in limits ? limitNames.map((name) => [name, limits[name]]) : useLimitNames.map((name) => [name, limits[name]])
}
