import type { Command } from '../command.ts'
import { textTable } from '../text-table.ts'

export const searchModels: Command = {
  words: ['model', 'search'],
  summary: 'Search the hub for models that Sepia runs.',
  argument: { name: '<words>', help: 'What to look for, such as qwen2.5 7b instruct, with or without quotes.', words: true },
  flags: [],
  settings: ['hub-url', 'hub-token-file'],
  run: async ({ argument, backend, config, signal }) => {
    const models = await backend.searchModels(config, argument, { signal })
    const rows = models.map(({ source, downloads, license, gated }) => [source, String(downloads), license ?? '', gated ? 'yes' : ''])
    return {
      text:
        rows.length === 0
          ? 'The hub has no GGUF model and no picture model with these words; try fewer.'
          : `${textTable(['SOURCE', 'DOWNLOADS', 'LICENCE', 'GATED'], rows)}\n\nFetch one with: sepia model pull <source>`,
      json: { models },
    }
  },
}
