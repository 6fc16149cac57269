import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { clientSignal } from '../../http/client-signal.ts'
import type { ServiceAddresses } from '../../http/service-addresses.ts'
import { listModels } from '../../operations/list-models.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { CallOrigins, ModelChoice, ModelList, PullChoice } from '../contract/models.ts'
import { ModelPulls } from '../model-pulls.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { showModel } from '../show-model.ts'
import { ownerOf, personOf } from '../sign-in/signed-in.ts'

const readModel: BodyReader<ModelChoice> = createBodyReader({ model: Type.String({ minLength: 1, maxLength: 200 }) })
const readSource: BodyReader<PullChoice> = createBodyReader({ source: Type.String({ minLength: 1, maxLength: 2000 }) })

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
      models: listModels(deps).map(showModel),
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

/** Names an origin only where it is another than the console's: people may reach that under several names. */
function callOrigins(addresses: Omit<ServiceAddresses, 'asyncUrl'>): CallOrigins {
  const elsewhere = (url: string) => (url === addresses.publicUrl ? null : url)
  return { imageUrl: elsewhere(addresses.imageUrl), textUrl: elsewhere(addresses.textUrl) }
}
