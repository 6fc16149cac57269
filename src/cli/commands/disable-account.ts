import type { Account } from '../../core/account.ts'
import type { AccountDesk } from '../cli-backend.ts'
import type { Command } from '../command.ts'
import { confirm, yesFlag } from '../confirm.ts'
import { UsageError } from '../usage-error.ts'

const argument = { name: '<id>', help: 'the id that sepia account list shows.' }

export const disableAccount: Command = {
  words: ['account', 'disable'],
  summary: 'Refuse everything that an account asks for, until it is enabled again.',
  argument,
  flags: [yesFlag],
  settings: ['data', 'database-url'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    await confirm(context, { warning: `Every token and session of the account "${account.name}" will be refused.`, unattended: 'refuse' })
    await desk.changeAccount(account.id, { disabled: true }, context)
    return { text: `Disabled "${account.name}".`, json: { disabled: account.id } }
  },
}

export const enableAccount: Command = {
  words: ['account', 'enable'],
  summary: 'Let a disabled account in again.',
  argument,
  flags: [],
  settings: ['data', 'database-url'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    await desk.changeAccount(account.id, { disabled: false }, context)
    return { text: `Enabled "${account.name}".`, json: { enabled: account.id } }
  },
}

async function findAccount(desk: AccountDesk, id: string, options: { readonly signal: AbortSignal }): Promise<Account> {
  const account = (await desk.listAccounts(options)).find((candidate) => candidate.id === id)
  if (account === undefined) throw new UsageError([{ where: id, message: 'there is no account with this id; see sepia account list.' }])
  return account
}
