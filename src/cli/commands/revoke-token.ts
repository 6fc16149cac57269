import type { Command } from '../command.ts'
import { confirm, yesFlag } from '../confirm.ts'
import { listAllTokens } from '../list-all-tokens.ts'
import { printableLine } from '../printable.ts'
import { UsageError } from '../usage-error.ts'

export const revokeToken: Command = {
  words: ['token', 'revoke'],
  summary: 'Revoke an access token; a running service refuses it within five seconds.',
  argument: { name: '<id>', help: 'the id that sepia token list shows.' },
  flags: [yesFlag],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    const { argument, backend, config, signal } = context
    await using desk = await backend.openAccountDesk(config, { signal })
    const token = (await listAllTokens(desk, { signal })).find(({ id }) => id === argument)
    if (token === undefined) throw new UsageError([{ where: argument, message: 'there is no token with this id; see sepia token list.' }])
    await confirm(context, { warning: `Programs that use the token "${token.name}" will be refused.`, unattended: 'proceed' })
    await desk.revokeToken(token, { signal })
    return { text: `Revoked "${printableLine(token.name)}".`, json: { revoked: token.id } }
  },
}
