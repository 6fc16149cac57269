import type { Command } from '../command.ts'
import { findToken } from '../find-token.ts'
import { limitCommand } from '../limit-command.ts'
import { useLimitFlags } from '../limit-flags.ts'

/** Limits one access token within its account, or shows its limits when no flag is given. */
export const limitToken: Command = limitCommand({
  words: ['token', 'limit'],
  summary: 'Set or lift the limits of one access token; without flags, show them.',
  argument: { name: '<id>', help: 'the id that sepia token list shows.' },
  flags: useLimitFlags,
  find: findToken,
  change: (desk, token, limits, options) => desk.limitToken(token, limits, options),
})
