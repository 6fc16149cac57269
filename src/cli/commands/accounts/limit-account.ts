import type { Command } from '../../command.ts'
import { limitCommand } from '../../limit-command.ts'
import { limitFlags } from '../../limit-flags.ts'
import { findAccount } from './find-account.ts'

/** Limits one account, or shows its limits when no flag is given. */
export const limitAccount: Command = limitCommand({
  words: ['account', 'limit'],
  summary: "Set or lift an account's limits; without flags, show them.",
  argument: { name: '<id>', help: 'the id that sepia account list shows.' },
  flags: limitFlags,
  find: findAccount,
  change: async (desk, { id }, limits, options) => {
    await desk.changeAccount(id, { limits }, options)
  },
})
