import { printByteSize } from '../../config/byte-size.ts'
import type { Command } from '../command.ts'
import { openProgressBar } from '../progress-bar.ts'

export const pullModel: Command = {
  words: ['model', 'pull'],
  summary: 'Fetch a model into the data folder and check it.',
  argument: { name: '<url>', help: 'address of the model.json of a model folder on a web server.' },
  flags: [],
  settings: ['data'],
  run: async ({ argument, backend, config, terminal, signal }) => {
    using bar = openProgressBar({ terminal, now: Date.now }, 'Fetching')
    const { id, bytes, folder } = await backend.pullModel(config, argument, { signal, onProgress: bar.report })
    return { text: `Installed ${id} (${printByteSize(bytes)}); restart the service to use it.`, json: { id, bytes, folder } }
  },
}
