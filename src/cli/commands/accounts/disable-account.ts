import type { Command } from '../../command.ts'
import { confirm, yesFlag } from '../../confirm.ts'
import { printableLine } from '../../printable.ts'
import { findAccount } from './find-account.ts'

const argument = { name: '<id>', help: 'the id that sepia account list shows.' }

export const disableAccount: Command = {
  words: ['account', 'disable'],
  summary: 'Reject all requests of an account until it is enabled again.',
  argument,
  flags: [yesFlag],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    await confirm(context, { warning: `Every token and session of the account "${account.name}" will be refused.`, unattended: 'refuse' })
    await desk.changeAccount(account.id, { disabled: true }, context)
    return { text: `Disabled "${printableLine(account.name)}".`, json: { disabled: account.id } }
  },
}

export const enableAccount: Command = {
  words: ['account', 'enable'],
  summary: 'Enable a disabled account again.',
  argument,
  flags: [],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    await desk.changeAccount(account.id, { disabled: false }, context)
    return { text: `Enabled "${printableLine(account.name)}".`, json: { enabled: account.id } }
  },
}
