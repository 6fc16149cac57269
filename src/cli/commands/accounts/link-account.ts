import type { Command } from '../../command.ts'
import { printableLine } from '../../printable.ts'
import { findAccount } from './find-account.ts'

/** The way back in for an owner who forgot the password. */
export const linkAccount: Command = {
  words: ['account', 'link'],
  summary: 'Print a link to set a new e-mail address and password, once.',
  argument: { name: '<id>', help: 'the id that sepia account list shows.' },
  flags: [],
  settings: ['data', 'database-url', 'database-url-file', 'host', 'port', 'public-url'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    const link = await desk.makeSignInLink(account.id, context)
    return { text: `Open this link within three days to sign in as "${printableLine(account.name)}":\n\n  ${link}`, json: { link } }
  },
}
