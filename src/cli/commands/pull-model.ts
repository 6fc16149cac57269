import { printByteSize } from '../../config/byte-size.ts'
import type { Command } from '../command.ts'
import { openProgressBar } from '../progress-bar.ts'

export const pullModel: Command = {
  words: ['model', 'pull'],
  summary: 'Copy a model into the data folder and check it.',
  argument: { name: '<source>', help: 'web address or path of the model’s folder.' },
  flags: [],
  settings: ['data'],
  run: async ({ argument, backend, config, terminal, signal }) => {
    using bar = openProgressBar({ terminal, now: Date.now }, 'Fetching')
    const { id, bytes, folder } = await backend.pullModel(config, argument, { signal, onProgress: bar.report })
    return { text: `Installed ${id} (${printByteSize(bytes)}); a running service has it in a few seconds.`, json: { id, bytes, folder } }
  },
}
