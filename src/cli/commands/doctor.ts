import type { Finding } from '../cli-backend.ts'
import type { Command } from '../command.ts'
import { openProgressBar } from '../progress-bar.ts'
import { textTable } from '../text-table.ts'

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
