import { printByteSize } from '../../core/byte-size.ts'
import type { Command } from '../command.ts'
import { confirm, yesFlag } from '../confirm.ts'

export const removeModel: Command = {
  words: ['model', 'remove'],
  summary: 'Delete a pulled model.',
  argument: { name: '<model>', help: 'the id that sepia model list shows.' },
  flags: [yesFlag],
  settings: ['data'],
  run: async (context) => {
    const model = await context.backend.findRemovableModel(context.config, context.argument)
    await confirm(context, { warning: `This deletes ${model.folder} (${printByteSize(model.bytes)}).`, unattended: 'proceed' })
    await context.backend.removeModel(model)
    return { text: `Removed ${model.id}.`, json: { removed: model.id } }
  },
}
