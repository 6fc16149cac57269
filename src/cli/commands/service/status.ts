import type { Command } from '../../command.ts'
import { textTable } from '../../printed-text.ts'
import { openSpinner } from '../../progress-bar.ts'
import { fetchModels, type ShownModel } from '../../service/installed-models.ts'
import { serviceCommand } from '../../service/open-service.ts'

export const showStatus: Command = serviceCommand({
  words: ['status'],
  summary: 'Show the state and the models of a service; exits with 1 if it cannot serve.',
  run: async (service, { signal }) => {
    const [models, fault] = await Promise.all([
      fetchModels(service, { signal }),
      service.fetchJson('/readyz', { signal }).then(
        () => null,
        (error: Error) => error.message,
      ),
    ])
    const rows = models.map((model) => {
      const { id, state, device } = model
      return [id, purposeOf(model), state, device === null ? '' : (device.name ?? device.backend)]
    })
    const state = fault === null ? 'ready' : `not ready: ${fault}`
    return {
      text: [`${service.url} is ${state}`, '', textTable(['MODEL', 'KIND', 'STATE', 'RUNS ON'], rows) || 'It has no models.'].join('\n'),
      heading: true,
      json: { url: service.url, ready: fault === null, models },
      healthy: fault === null,
    }
  },
})

/** What a model is for, in the words of `sepia model list`. */
function purposeOf({ kind, capabilities }: ShownModel): string {
  if (kind === 'image' || capabilities.includes('chat')) return kind
  return capabilities.includes('rerank') ? 'rerank' : 'embedding'
}

export const loadModel: Command = command('load', 'Load a model of a service into memory; owners only.', 'Loading')
export const unloadModel: Command = command('unload', 'Unload a model of a service from memory; owners only.', 'Unloading')

function command(verb: 'load' | 'unload', summary: string, label: string): Command {
  return serviceCommand({
    words: ['model', verb],
    summary,
    argument: { name: '<name>', help: 'The name that sepia status lists.' },
    run: async (service, { argument: model, terminal, signal }) => {
      using _spinner = openSpinner(terminal, label)
      await service.fetchJson(`/models/${verb}`, { body: { model }, signal })
      return { text: `${model} is ${verb}ed.`, json: { model, state: `${verb}ed` } }
    },
  })
}
