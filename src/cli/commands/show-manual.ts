import type { Command } from '../command.ts'
import { manualPage } from '../manual-page.ts'

export const showManual: Command = {
  words: ['manual'],
  summary: 'Print the manual page: sepia manual > sepia.1, then man ./sepia.1',
  flags: [],
  settings: [],
  run: async ({ commands, version }) => {
    const text = manualPage(commands, version).trimEnd()
    return { text, json: { manual: text } }
  },
}
