import { databaseUrl } from '../../config/storage-urls.ts'
import type { Command } from '../command.ts'
import { openProgressBar } from '../progress-bar.ts'
import { UsageError } from '../usage-error.ts'

export const migrate: Command = {
  words: ['migrate'],
  summary: 'Copy everything but models into an empty PostgreSQL database and the bucket of s3-url, and compare.',
  flags: [{ name: 'to', form: '<database-url>', help: 'The database: postgres://user:password@host/database.', required: true }],
  settings: ['data', 's3-url', 's3-secret-file'],
  run: async ({ flags, backend, config, terminal, signal }) => {
    const target = databaseUrl.parse(flags.get('to'), '')
    if ('fault' in target) throw new UsageError([{ where: '--to', message: target.fault }])
    using bar = openProgressBar({ terminal, now: Date.now }, 'Copying')
    const rows = await backend.migrate(config, target.value, { signal, onProgress: bar.report })
    const lines = Object.entries(rows).map(([table, count]) => `${String(count).padStart(9)}  ${table}`)
    const missing = rows.outputs === undefined ? 0 : (rows.stored_outputs ?? 0) - rows.outputs
    const notes = [
      ...(rows.outputs === undefined ? ['Outputs stay in the data folder; set --s3-url to copy them too.'] : []),
      ...(missing > 0 ? [`${missing} outputs were missing or damaged in the data folder.`] : []),
      'Copied and compared; start the service with --database-url, --s3-url and --cluster-secret.',
    ]
    return { text: [...lines, ...notes].join('\n'), json: { rows } }
  },
}
