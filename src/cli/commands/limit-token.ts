import type { Command } from '../command.ts'
import { findToken } from '../find-token.ts'
import { limitCommand } from '../limit-command.ts'
import { useLimitFlags } from '../limit-flags.ts'

/** Limits one access token within its account, or shows its limits when no flag is given. */
export const limitToken: Command = limitCommand({
  words: ['token', 'limit'],
  summary: 'Set or lift how much one access token may use of what its account may; without flags, show it.',
  argument: { name: '<id>', help: 'the id that sepia token list shows.' },
  flags: useLimitFlags,
  find: findToken,
  change: (desk, token, limits, options) => desk.limitToken(token, limits, options),
})
