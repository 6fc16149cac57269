import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

/** The way back in for an owner who forgot the password. */
export const linkAccount: Command = {
  words: ['account', 'link'],
  summary: 'Print a link with which somebody sets a new e-mail and password, once.',
  argument: { name: '<id>', help: 'the id that sepia account list shows.' },
  flags: [],
  settings: ['data', 'database-url', 'host', 'port', 'public-url'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = (await desk.listAccounts(context)).find(({ id }) => id === context.argument)
    if (account === undefined)
      throw new UsageError([{ where: context.argument, message: 'there is no account with this id; see sepia account list.' }])
    const link = await desk.makeSignInLink(account.id, context)
    return { text: `Open this link within three days to sign in as "${account.name}":\n\n  ${link}`, json: { link } }
  },
}
