import type { Command } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'
import { allowNewDatabase } from '../allow-new-database.ts'

export const createAccount: Command = {
  words: ['account', 'create'],
  summary: 'Create an account for access tokens; invite people in the console.',
  flags: [
    { name: 'name', form: '<text>', help: 'The name of the account.', required: true },
    { name: 'role', form: 'member | owner', help: 'Owners see every account. Default: member.' },
  ],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    const { backend, config, flags, signal } = context
    const role = flags.get('role') ?? 'member'
    if (role !== 'member' && role !== 'owner')
      throw new UsageError([{ where: '--role', message: `expected member or owner, got ${JSON.stringify(role)}.` }])
    await using desk = await backend.openAccountDesk(config, { signal, ...allowNewDatabase(context) })
    const account = await desk.createAccount({ name: flags.get('name') ?? '', role }, { signal })
    return {
      text: `Created the account ${account.id}.\nIts first token: sepia token create --account ${account.id} --name first`,
      json: { id: account.id, name: account.name, role: account.role },
    }
  },
}
