import type { Command } from '../command.ts'
import { textTable } from '../text-table.ts'

export const searchModels: Command = {
  words: ['model', 'search'],
  summary: 'Search the hub for models that Sepia runs.',
  argument: { name: '<words>', help: 'Words to search for, such as qwen3 8b, with or without quotes.', words: true },
  flags: [],
  settings: ['hub-url', 'hub-token-file'],
  run: async ({ argument, backend, config, signal }) => {
    const models = await backend.searchModels(config, argument, { signal })
    const rows = models.map(({ source, downloads, license, gated }) => [source, String(downloads), license ?? '', gated ? 'yes' : ''])
    return {
      text:
        rows.length === 0
          ? 'The hub has no GGUF or image model for these words; try fewer words.'
          : `${textTable(['SOURCE', 'DOWNLOADS', 'LICENCE', 'GATED'], rows)}\n\nFetch one with: sepia model pull <source>`,
      json: { models },
    }
  },
}
