import type { Command } from '../command.ts'

export const serve: Command = {
  words: ['serve'],
  summary: 'Run the service.',
  flags: [],
  endless: true,
  settings: 'all',
  findFaults: (backend, config) => backend.findStartFaults(config),
  run: async ({ backend, config, report, signal, terminal }) => {
    await backend.serve(config, { signal, print: terminal.out, report }).catch((error: unknown) => {
      // It was stopped before it was ready, as requested.
      if (!signal.aborted || error !== signal.reason) throw error
    })
    return { text: '', json: {} }
  },
}
