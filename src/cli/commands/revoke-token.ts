import type { Command } from '../command.ts'
import { confirm, yesFlag } from '../confirm.ts'
import { findToken } from '../find-token.ts'
import { printableLine } from '../printable.ts'

export const revokeToken: Command = {
  words: ['token', 'revoke'],
  summary: 'Revoke an access token; a running service rejects it within five seconds and ends its open requests.',
  argument: { name: '<id>', help: 'the id that sepia token list shows.' },
  flags: [yesFlag],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    const { argument, backend, config, signal } = context
    await using desk = await backend.openAccountDesk(config, { signal })
    const token = await findToken(desk, argument, { signal })
    await confirm(context, { warning: `Programs that use the token "${token.name}" will be refused.`, unattended: 'proceed' })
    await desk.revokeToken(token, { signal })
    return { text: `Revoked "${printableLine(token.name)}".`, json: { revoked: token.id } }
  },
}
