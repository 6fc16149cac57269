import type { Command } from '../command.ts'
import { shellCompletion, shells } from '../shell-completion.ts'
import { UsageError } from '../usage-error.ts'

export const completion: Command = {
  words: ['completion'],
  summary: 'Print a script with which a shell completes commands and flags.',
  argument: { name: '<shell>', help: `${shells.join(', ')}; the first line of the script says where to put it.` },
  flags: [],
  settings: [],
  run: async ({ argument, commands }) => {
    const shell = shells.find((known) => known === argument)
    if (shell === undefined)
      throw new UsageError([{ where: argument, message: `there is no completion for it; choose from ${shells.join(', ')}.` }])
    const text = shellCompletion(shell, commands).trimEnd()
    return { text, json: { shell, script: text } }
  },
}
