import type { Command } from '../command.ts'

export const showVersion: Command = {
  words: ['version'],
  summary: 'Print the version.',
  flags: [],
  settings: [],
  run: async ({ version }) => ({ text: version, json: { version } }),
}
