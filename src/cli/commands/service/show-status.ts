import type { Command } from '../../command.ts'
import { fetchModels } from '../../service/installed-models.ts'
import { openService } from '../../service/open-service.ts'
import { serviceFlags, serviceSettings } from '../../service/service-flags.ts'
import { textTable } from '../../text-table.ts'

export const showStatus: Command = {
  words: ['status'],
  summary: 'Show the state and the models of a service; exits with 1 if it cannot serve.',
  flags: serviceFlags,
  settings: serviceSettings,
  run: async (context) => {
    const { signal } = context
    const service = await openService(context)
    const [models, fault] = await Promise.all([
      fetchModels(service, { signal }),
      service.fetchJson('/readyz', { signal }).then(
        () => null,
        (error: Error) => error.message,
      ),
    ])
    const rows = models.map(({ id, kind, state, device }) => [id, kind, state, device === null ? '' : (device.name ?? device.backend)])
    const state = fault === null ? 'ready' : `not ready: ${fault}`
    return {
      text: [`${service.url} is ${state}`, '', textTable(['MODEL', 'KIND', 'STATE', 'RUNS ON'], rows) || 'It has no models.'].join('\n'),
      heading: true,
      json: { url: service.url, ready: fault === null, models },
      healthy: fault === null,
    }
  },
}
