import { resolve } from 'node:path'
import { printByteSize } from '../../core/byte-size.ts'
import { checkPlace } from '../check-place.ts'
import type { Command } from '../command.ts'
import { openProgressBar } from '../progress-bar.ts'

export const backup: Command = {
  words: ['backup'],
  summary: 'Write accounts, tokens, requests and outputs into one file; the service may be running.',
  argument: { name: '<file>', help: 'the file to write; it must not exist.' },
  flags: [],
  settings: ['data'],
  run: async ({ argument, backend, config, terminal, signal }) => {
    const file = resolve(argument)
    await checkPlace(file, { where: 'sepia backup', replaces: false })
    using bar = openProgressBar({ terminal, now: Date.now }, 'Backing up')
    const { bytes } = await backend.backup(config, file, { signal, onProgress: bar.report })
    return { text: `Wrote ${file} (${printByteSize(bytes)}).`, json: { file, bytes } }
  },
}
