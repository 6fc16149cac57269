import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { clientSignal } from '../../http/client-signal.ts'
import { type ListedModel, listModels } from '../../operations/list-models.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { ConsoleModel } from '../console-model.ts'
import { createBodyReader } from '../read-console-body.ts'
import { ownerOf } from '../signed-in.ts'

const readBody = createBodyReader(Type.Object({ model: Type.String({ minLength: 1, maxLength: 200 }) }))
const unloaded = { state: 'unloaded', memoryBytes: 0, slots: 0, inUse: 0, waiting: 0 } as const

/** /console/api/models: what is installed and in memory; owners load and unload. */
export function registerModels(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'catalog' | 'pool'>): void {
  own.get('/console/api/models', async () => ({ models: listModels(deps).map(toConsoleModel) }))

  for (const verb of ['load', 'unload'] as const) {
    own.post(`/console/api/models/${verb}`, async (request, reply) => {
      ownerOf(request)
      await deps.pool[verb](readBody(request).model, { signal: clientSignal(reply) })
      return reply.code(204).send()
    })
  }
}

function toConsoleModel({ descriptor, state }: ListedModel): ConsoleModel {
  const { folder: _, ...shown } = descriptor
  const { modelId: __, ...standing } = state ?? { modelId: descriptor.id, ...unloaded }
  if (shown.kind === 'image') return { ...shown, state: standing }
  const { file: ___, ...text } = shown
  return { ...text, state: standing }
}
