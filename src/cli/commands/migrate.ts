import type { Command } from '../command.ts'
import { openProgressBar } from '../progress-bar.ts'
import { UsageError } from '../usage-error.ts'

export const migrate: Command = {
  words: ['migrate'],
  summary: 'Copy everything but outputs and models into an empty PostgreSQL database, work that waits included, and compare both.',
  flags: [{ name: 'to', form: '<database-url>', help: 'The database: postgres://user:password@host/database.', required: true }],
  settings: ['data'],
  run: async ({ flags, backend, config, terminal, signal }) => {
    const target = flags.get('to') ?? ''
    if (!/^postgres(ql)?:\/\/./.test(target))
      throw new UsageError([{ where: '--to', message: 'name the database, such as --to postgres://user:password@host/database.' }])
    using bar = openProgressBar({ terminal, now: Date.now }, 'Copying')
    const rows = await backend.migrate(config, target, { signal, onProgress: bar.report })
    const lines = Object.entries(rows).map(([table, count]) => `${String(count).padStart(9)}  ${table}`)
    return { text: `${lines.join('\n')}\nCopied and compared; start the service with --database-url.`, json: { rows } }
  },
}
