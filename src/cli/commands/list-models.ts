import { printByteSize } from '../../core/byte-size.ts'
import type { Command } from '../command.ts'
import { textTable } from '../text-table.ts'

export const listModels: Command = {
  words: ['model', 'list'],
  summary: 'List the installed models.',
  flags: [],
  settings: ['models', 'data'],
  run: async ({ backend, config }) => {
    const models = (await backend.listModels(config)).filter(({ hidden = false }) => !hidden)
    return {
      text:
        textTable(
          ['ID', 'KIND', 'SIZE', 'LICENCE', 'FOLDER'],
          models.map(({ id, kind, bytes, license, folder }) => [id, kind, printByteSize(bytes), license ?? '', folder]),
        ) || 'There are no models; fetch one with: sepia model pull <source>',
      json: { models: models.map(({ id, name, kind, bytes, license, folder }) => ({ id, name, kind, bytes, license, folder })) },
    }
  },
}
