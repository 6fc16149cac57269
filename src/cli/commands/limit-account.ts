import { type AccountLimits, limitRanges } from '../../core/account.ts'
import type { Command } from '../command.ts'
import { findAccount } from '../find-account.ts'
import { UsageError } from '../usage-error.ts'

const form = '<number> | none'
const flagNames = [
  ['requests-per-minute', 'requestsPerMinute'],
  ['tokens-per-day', 'tokensPerDay'],
  ['images-per-day', 'imagesPerDay'],
  ['tokens-per-month', 'tokensPerMonth'],
  ['images-per-month', 'imagesPerMonth'],
] as const satisfies readonly (readonly [string, keyof AccountLimits])[]

/** Limits one account, or shows its limits when no flag is given. */
export const limitAccount: Command = {
  words: ['account', 'limit'],
  summary: 'Set or lift how much an account may use; without flags, show it.',
  argument: { name: '<id>', help: 'the id that sepia account list shows.' },
  flags: [
    { name: 'requests-per-minute', form, help: 'In place of the setting of the same name; none returns to it.' },
    { name: 'tokens-per-day', form, help: 'Tokens read and written per UTC day.' },
    { name: 'images-per-day', form, help: 'Images per UTC day.' },
    { name: 'tokens-per-month', form, help: 'Tokens read and written per calendar month of UTC.' },
    { name: 'images-per-month', form, help: 'Images per calendar month of UTC.' },
  ],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async ({ argument, backend, config, flags, signal }) => {
    const changes = readChanges(flags)
    await using desk = await backend.openAccountDesk(config, { signal })
    const account = await findAccount(desk, argument, { signal })
    if (Object.keys(changes).length > 0) await desk.changeAccount(account.id, { limits: changes }, { signal })
    const limits = { ...account.limits, ...changes }
    return {
      text: flagNames.map(([flag, name]) => `${flag}: ${limits[name] ?? 'none'}`).join('\n'),
      json: Object.fromEntries(flagNames.map(([flag, name]) => [flag.replaceAll('-', '_'), limits[name]])),
    }
  },
}

function readChanges(flags: ReadonlyMap<string, string>): Partial<AccountLimits> {
  const given = flagNames.flatMap(([flag, name]) => {
    const text = flags.get(flag)
    return text === undefined ? [] : [{ flag, name, text, value: text === 'none' ? null : readWholeNumber(text) }]
  })
  const faults = given.flatMap(({ flag, name, text, value }) => {
    const { least, most } = limitRanges[name]
    if (value === null || (value >= least && value <= most)) return []
    return [{ where: `--${flag}`, message: `expected a whole number from ${least} to ${most}, or none; got ${JSON.stringify(text)}.` }]
  })
  if (faults.length > 0) throw new UsageError(faults)
  return Object.fromEntries(given.map(({ name, value }) => [name, value]))
}

function readWholeNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}
