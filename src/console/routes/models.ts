import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { causeText, ServiceError } from '../../core/error.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import { withoutAddress } from '../../core/model-pull.ts'
import type { ServiceAddresses } from '../../core/service-addresses.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { adaptersFor } from '../../http/wire/chat/fields/adapter-fields.ts'
import { listModels } from '../../operations/list-models.ts'
import type { ConsoleDependencies, ConsoleSettings } from '../console-dependencies.ts'
import type { CallOrigins, HubSearch, LeftOutChoice, ModelChoice, ModelList, PullChoice } from '../contract/models.ts'
import { type BodyReader, createBodyReader, createQueryReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { showModel } from '../show-model.ts'
import { ownerOf, personOf } from '../sign-in/signed-in.ts'

const readModel: BodyReader<ModelChoice> = createBodyReader({ model: Type.String({ minLength: 1, maxLength: 200 }) })
const readFile: BodyReader<LeftOutChoice> = createBodyReader({ file: Type.String({ minLength: 1, maxLength: 5000 }) })
const readSource: BodyReader<PullChoice> = createBodyReader({ source: Type.String({ minLength: 1, maxLength: 2000 }) })

const readWords = createQueryReader({ words: Type.String({ minLength: 1, maxLength: 200 }) })
/** Time limit of a search on the hub. */
const longestSearchMs = 10_000

/** /console/api/models: models, their state and pulls. Owners load, unload, pull and remove. */
export function registerModels(
  own: FastifyInstance,
  deps: Pick<
    ConsoleDependencies,
    'audit' | 'clock' | 'catalog' | 'pool' | 'pulls' | 'searchHub' | 'pulledModels' | 'leftOutFiles' | 'modelServers' | 'addresses'
  >,
  { limits }: Pick<ConsoleSettings, 'limits'>,
): void {
  const { pulls } = deps
  const memoryBytes = limits.find(({ name }) => name === 'modelMemoryBytes')?.most ?? undefined
  own.get('/console/api/models', async (request): Promise<ModelList> => {
    const isOwner = personOf(request).role === 'owner'
    const factsOf = (model: ModelDescriptor) => ({
      isOwner,
      servers: deps.modelServers(model),
      removable: deps.pulledModels.has(model),
      adapters: model.kind === 'text' ? adaptersFor(deps.catalog, model).map(({ name }) => name) : [],
    })
    return {
      models: listModels(deps)
        .filter(({ descriptor }) => descriptor.hidden === undefined)
        .map((model) => showModel(model, factsOf(model.descriptor))),
      leftOut: isOwner ? deps.leftOutFiles() : undefined,
      memoryBytes: isOwner ? memoryBytes : undefined,
      pulls: isOwner ? pulls.list() : pulls.list().map(withoutAddress),
      origins: callOrigins(deps.addresses()),
    }
  })

  own.get('/console/api/models/search', async (request, reply): Promise<HubSearch> => {
    ownerOf(request)
    const { words } = readWords(request)
    const left = clientSignal(reply)
    const late = AbortSignal.timeout(longestSearchMs)
    try {
      return { models: await deps.searchHub(words, { signal: AbortSignal.any([left, late]) }), fault: null }
    } catch (error) {
      left.throwIfAborted()
      const reason = late.aborted ? 'it does not answer' : (causeText(error)?.split(' ← ')[0] ?? 'the cause is unknown')
      return { models: [], fault: `Hugging Face could not be searched: ${reason.replace(/\.$/, '')}. A URL of another server still works.` }
    }
  })

  for (const verb of ['load', 'unload'] as const) {
    own.post(`/console/api/models/${verb}`, async (request, reply) => {
      ownerOf(request)
      const { model } = readModel(request)
      if (await deps.pool[verb](model, { signal: clientSignal(reply) }))
        await recordAudit(deps, request, `model-${verb}ed`, { subject: model })
      return reply.code(204).send()
    })
  }

  own.post('/console/api/models/remove', async (request, reply) => {
    ownerOf(request)
    const { model: id } = readModel(request)
    const model = deps.catalog.find(id) ?? deps.pulledModels.findLeftOut(id)
    if (model === undefined) throw new ServiceError('not_found', `The model ${id} does not exist; it may have been removed.`)
    if (!deps.pulledModels.has(model))
      throw new ServiceError('validation_error', `${id} was not pulled; remove it from its models folder.`, {
        param: 'model',
      })
    await deps.pulledModels.remove(model)
    await recordAudit(deps, request, 'model-removed', { subject: id })
    return reply.code(204).send()
  })

  own.post('/console/api/models/left-out/remove', async (request, reply) => {
    ownerOf(request)
    const { file } = readFile(request)
    // By its path, since a name may be that of several files, or by now of a sound one.
    if (deps.leftOutFiles().every((each) => each.file !== file || each.removes === undefined))
      throw new ServiceError('not_found', 'This file is not among those that can be removed; it may have been removed.')
    await deps.pulledModels.remove({ folder: dirname(file), file })
    await recordAudit(deps, request, 'model-removed', { subject: file })
    return reply.code(204).send()
  })

  own.post('/console/api/models/pulls', async (request, reply) => {
    ownerOf(request)
    const { source } = readSource(request)
    if (pulls.start(source)) await recordAudit(deps, request, 'model-pulled', { subject: source })
    return reply.code(202).send()
  })

  own.post('/console/api/models/pulls/remove', async (request, reply) => {
    ownerOf(request)
    const { source } = readSource(request)
    if (pulls.remove(source)) await recordAudit(deps, request, 'model-pull-removed', { subject: source })
    return reply.code(204).send()
  })
}

/** The origins that differ from the console's own, which may be reached under several names. */
function callOrigins(addresses: Omit<ServiceAddresses, 'asyncUrl'>): CallOrigins {
  const elsewhere = (url: string) => (url === addresses.publicUrl ? null : url)
  return { imageUrl: elsewhere(addresses.imageUrl), textUrl: elsewhere(addresses.textUrl) }
}
