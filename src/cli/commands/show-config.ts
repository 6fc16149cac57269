import type { Command } from '../command.ts'
import { textTable } from '../text-table.ts'

export const showConfig: Command = {
  words: ['config'],
  summary: 'Show every setting, its value and where it came from.',
  flags: [],
  settings: 'all',
  run: async ({ report }) => ({
    text: textTable(
      ['SETTING', 'VALUE', 'FROM'],
      report.map(({ name, value, source }) => [name, value || '–', source]),
    ),
    json: { settings: report },
  }),
}
