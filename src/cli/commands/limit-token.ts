import type { Command } from '../command.ts'
import { findToken } from '../find-token.ts'
import { readLimitFlags, showLimits, useLimitFlags } from '../limit-flags.ts'

/** Limits one access token within its account, or shows its limits when no flag is given. */
export const limitToken: Command = {
  words: ['token', 'limit'],
  summary: 'Set or lift how much one access token may use of what its account may; without flags, show it.',
  argument: { name: '<id>', help: 'the id that sepia token list shows.' },
  flags: useLimitFlags,
  settings: ['data', 'database-url', 'database-url-file'],
  run: async ({ argument, backend, config, flags, signal }) => {
    const changes = readLimitFlags(flags)
    await using desk = await backend.openAccountDesk(config, { signal })
    const token = await findToken(desk, argument, { signal })
    if (Object.keys(changes).length > 0) await desk.limitToken(token, changes, { signal })
    return showLimits({ ...token.limits, ...changes })
  },
}
