import type { Command } from '../../command.ts'
import { printableLine } from '../../printable.ts'
import { UsageError } from '../../usage-error.ts'
import { findAccount } from './find-account.ts'

/** The way back in for whoever lost the app and the recovery codes. */
export const resetSecondFactor: Command = {
  words: ['account', 'second-factor', 'reset'],
  summary: 'Remove the second factor of an account, so that the password is enough again.',
  argument: { name: '<id>', help: 'the id that sepia account list shows.' },
  flags: [],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    if (!(await desk.resetSecondFactor(account.id, context)))
      throw new UsageError([{ where: account.id, message: 'this account has no second factor.' }])
    return { text: `Removed the second factor of "${printableLine(account.name)}".`, json: { reset: account.id } }
  },
}
