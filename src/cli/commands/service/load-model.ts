import type { Command } from '../../command.ts'
import { openService } from '../../service/open-service.ts'
import { serviceFlags, serviceSettings } from '../../service/service-flags.ts'
import { openSpinner } from '../../spinner.ts'

export const loadModel: Command = command('load', 'Load a model of a service into memory, as an owner of it.', 'Loading')
export const unloadModel: Command = command('unload', 'Free the memory of a model of a service, as an owner of it.', 'Unloading')

function command(verb: 'load' | 'unload', summary: string, label: string): Command {
  return {
    words: ['model', verb],
    summary,
    argument: { name: '<name>', help: 'As sepia status lists it.' },
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
