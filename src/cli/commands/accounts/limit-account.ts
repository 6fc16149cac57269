import type { Command } from '../../command.ts'
import { findAccount } from '../../find-account.ts'
import { limitFlags, readLimitFlags, showLimits } from '../../limit-flags.ts'

/** Limits one account, or shows its limits when no flag is given. */
export const limitAccount: Command = {
  words: ['account', 'limit'],
  summary: 'Set or lift how much an account may use; without flags, show it.',
  argument: { name: '<id>', help: 'the id that sepia account list shows.' },
  flags: limitFlags,
  settings: ['data', 'database-url', 'database-url-file'],
  run: async ({ argument, backend, config, flags, signal }) => {
    const changes = readLimitFlags(flags)
    await using desk = await backend.openAccountDesk(config, { signal })
    const account = await findAccount(desk, argument, { signal })
    if (Object.keys(changes).length > 0) await desk.changeAccount(account.id, { limits: changes }, { signal })
    return showLimits({ ...account.limits, ...changes })
  },
}
