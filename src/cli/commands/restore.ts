import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from '../command.ts'
import { confirm, yesFlag } from '../confirm.ts'
import { openProgressBar } from '../progress-bar.ts'
import { UsageError } from '../usage-error.ts'

export const restore: Command = {
  words: ['restore'],
  summary: 'Replace the data folder with a backup; stop the service first.',
  argument: { name: '<file>', help: 'a file that sepia backup wrote.' },
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
