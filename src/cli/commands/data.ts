import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { databaseUrl } from '../../config/storage-urls.ts'
import { formatBytes } from '../../core/byte-size.ts'
import { checkPlace } from '../check-place.ts'
import type { Finding } from '../cli-backend.ts'
import { type Command, confirm, yesFlag } from '../command.ts'
import { UsageError } from '../failures.ts'
import { textTable } from '../printed-text.ts'
import { openProgressBar } from '../progress-bar.ts'

export const backup: Command = {
  words: ['backup'],
  summary: 'Write accounts, tokens, requests and outputs into one file; the service may be running.',
  argument: { name: '<file>', help: 'The file to write; it must not exist.' },
  flags: [],
  settings: ['data'],
  run: async ({ argument, backend, config, terminal, signal }) => {
    const file = resolve(argument)
    await checkPlace(file, { where: 'sepia backup', replaces: false })
    using bar = openProgressBar({ terminal, now: Date.now }, 'Backing up')
    const { bytes } = await backend.backup(config, file, { signal, onProgress: bar.report })
    return { text: `Wrote ${file} (${formatBytes(bytes)}).`, json: { file, bytes } }
  },
}

export const restore: Command = {
  words: ['restore'],
  summary: 'Replace the data folder with a backup; stop the service first.',
  argument: { name: '<file>', help: 'A file that sepia backup wrote.' },
  flags: [yesFlag],
  settings: ['data'],
  run: async (context) => {
    const { argument, backend, config, terminal, signal } = context
    const file = resolve(argument)
    if (!existsSync(file)) throw new UsageError([{ where: file, message: 'this file does not exist; choose one that sepia backup wrote.' }])
    await confirm(context, {
      warning: `This replaces every account, token, request and output in ${config.dataFolder}.`,
      unattended: 'refuse',
    })
    using bar = openProgressBar({ terminal, now: Date.now }, 'Restoring')
    await backend.restore(config, file, { signal, onProgress: bar.report })
    return { text: `Restored ${config.dataFolder} from ${file}.`, json: { file, data: config.dataFolder } }
  },
}

export const migrate: Command = {
  words: ['migrate'],
  summary: 'Copy everything but models into an empty PostgreSQL database and the bucket of s3-url, then compare both sides.',
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

export const doctor: Command = {
  words: ['doctor'],
  summary: 'Check the data folder and the models.',
  flags: [],
  settings: ['data', 'models'],
  run: async ({ backend, config, terminal, signal }) => {
    using bar = openProgressBar({ terminal, now: Date.now }, 'Checking')
    const findings = await backend.doctor(config, { signal, onProgress: bar.report })
    const healthy = findings.every((finding) => finding.healthy)
    return {
      text: textTable(
        ['CHECKED', 'STATE', 'FINDING'],
        findings.map((finding) => [finding.subject, stateOf(finding), finding.message]),
      ),
      json: { healthy, findings },
      healthy,
    }
  },
}

function stateOf({ healthy, away = false }: Finding): string {
  if (!healthy) return 'FAULT'
  return away ? 'away' : 'ok'
}
