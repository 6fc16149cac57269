import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { clientSignal } from '../../http/client-signal.ts'
import { type ListedModel, listModels } from '../../operations/list-models.ts'
import { callOrigins } from '../call-origins.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { ConsoleModel, ModelChoice, ModelList, PullChoice } from '../contract/models.ts'
import { ModelPulls } from '../model-pulls.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { ownerOf, personOf } from '../sign-in/signed-in.ts'

const readModel: BodyReader<ModelChoice> = createBodyReader({ model: Type.String({ minLength: 1, maxLength: 200 }) })
const readSource: BodyReader<PullChoice> = createBodyReader({ source: Type.String({ minLength: 1, maxLength: 2000 }) })
const unloaded = { state: 'unloaded', memoryBytes: 0, slots: 0, inUse: 0, waiting: 0 } as const

/** /console/api/models: what is installed, in memory and on its way; owners load, unload and pull. */
export function registerModels(
  own: FastifyInstance,
  deps: Pick<ConsoleDependencies, 'audit' | 'clock' | 'catalog' | 'pool' | 'pullModel' | 'addresses'>,
): void {
  const pulls = new ModelPulls(deps.pullModel)
  own.addHook('onClose', async () => pulls.close())

  own.get(
    '/console/api/models',
    async (request): Promise<ModelList> => ({
      models: listModels(deps).map(toConsoleModel),
      // Where models come from is the operator's business, and may hold names of his network.
      pulls: personOf(request).role === 'owner' ? pulls.list() : [],
      origins: callOrigins(deps.addresses()),
    }),
  )

  for (const verb of ['load', 'unload'] as const) {
    own.post(`/console/api/models/${verb}`, async (request, reply) => {
      ownerOf(request)
      const { model } = readModel(request)
      await deps.pool[verb](model, { signal: clientSignal(reply) })
      await recordAudit(deps, request, `model-${verb}ed`, { subject: model })
      return reply.code(204).send()
    })
  }

  own.post('/console/api/models/pulls', async (request, reply) => {
    ownerOf(request)
    const { source } = readSource(request)
    pulls.start(source)
    await recordAudit(deps, request, 'model-pulled', { subject: source })
    return reply.code(202).send()
  })

  own.post('/console/api/models/pulls/remove', async (request, reply) => {
    ownerOf(request)
    const { source } = readSource(request)
    pulls.remove(source)
    await recordAudit(deps, request, 'model-pull-removed', { subject: source })
    return reply.code(204).send()
  })
}

function toConsoleModel({ descriptor, state, contextLength }: ListedModel): ConsoleModel {
  const { folder: _, ...shown } = descriptor
  const { modelId: __, ...standing } = state ?? { modelId: descriptor.id, ...unloaded }
  if (shown.kind === 'image') return { ...shown, state: standing }
  const { file: ___, ...text } = shown
  return { ...text, contextLength, state: standing }
}
