import type { Command } from '../../command.ts'
import { isoTime } from '../../iso-time.ts'
import { limitFields } from '../../limit-flags.ts'
import { textTable } from '../../text-table.ts'

export const listAccounts: Command = {
  words: ['account', 'list'],
  summary: 'List the accounts.',
  flags: [],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async ({ backend, config, signal }) => {
    await using desk = await backend.openAccountDesk(config, { signal })
    const accounts = await desk.listAccounts({ signal })
    const rows = accounts.map(({ id, name, email, role, createdAt, disabledAt }) => [
      id,
      name,
      email ?? '',
      role,
      isoTime(createdAt),
      disabledAt === null ? 'enabled' : `disabled ${isoTime(disabledAt)}`,
    ])
    return {
      text: textTable(['ID', 'NAME', 'E-MAIL', 'ROLE', 'CREATED', 'STATE'], rows) || 'There are no accounts; the first start creates one.',
      json: {
        accounts: accounts.map(({ id, name, email, role, createdAt, disabledAt, limits }) => ({
          id,
          name,
          email,
          role,
          created_at: isoTime(createdAt),
          disabled_at: isoTime(disabledAt),
          ...limitFields(limits),
        })),
      },
    }
  },
}
