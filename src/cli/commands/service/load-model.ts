import type { Command } from '../../command.ts'
import { openService } from '../../service/open-service.ts'
import { serviceFlags, serviceSettings } from '../../service/service-flags.ts'
import { openSpinner } from '../../spinner.ts'

export const loadModel: Command = command('load', 'Load a model of a service into memory; owners only.', 'Loading')
export const unloadModel: Command = command('unload', 'Unload a model of a service from memory; owners only.', 'Unloading')

function command(verb: 'load' | 'unload', summary: string, label: string): Command {
  return {
    words: ['model', verb],
    summary,
    argument: { name: '<name>', help: 'The name that sepia status lists.' },
    flags: serviceFlags,
    settings: serviceSettings,
    run: async (context) => {
      const { argument: model, terminal, signal } = context
      const service = await openService(context)
      using _spinner = openSpinner(terminal, label)
      await service.fetchJson(`/models/${verb}`, { body: { model }, signal })
      return { text: `${model} is ${verb}ed.`, json: { model, state: `${verb}ed` } }
    },
  }
}
