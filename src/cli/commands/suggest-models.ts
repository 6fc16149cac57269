import { printByteSize } from '../../core/byte-size.ts'
import { modelSuggestions } from '../../core/memory/model-suggestions.ts'
import type { Command } from '../command.ts'
import { textTable } from '../text-table.ts'

export const suggestModels: Command = {
  words: ['model', 'suggestions'],
  summary: 'List models to start with, and which of them fit into the setting memory.',
  flags: [],
  settings: ['memory'],
  run: async ({ config }) => {
    const models = modelSuggestions.map((model) => ({ ...model, fits: model.memoryBytes <= config.models.memoryBytes }))
    const rows = models.map(({ kind, source, bytes, memoryBytes, license, fits }) => [
      source,
      kind,
      printByteSize(bytes),
      printByteSize(memoryBytes),
      fits ? 'yes' : 'no',
      license,
    ])
    const table = textTable(['SOURCE', 'KIND', 'DOWNLOAD', 'MEMORY', 'FITS', 'LICENCE'], rows)
    const room = `Models may use ${printByteSize(config.models.memoryBytes)} here (memory); on a GPU they use its memory instead.`
    return { text: `${table}\n\n${room} Fetch one with: sepia model pull <source>`, json: { models } }
  },
}
