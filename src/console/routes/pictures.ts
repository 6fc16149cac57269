import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import type { Abortable } from '../../core/waiting.ts'
import { imageContentType } from '../../http/answers/image-content-type.ts'
import { sendChunks } from '../../http/answers/send-chunks.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { readThumbnailWidth } from '../../http/wire/images/thumbnail-width.ts'
import { findOutput, openPicture, readStored } from '../../operations/deferred/outputs.ts'
import {
  findKeptPicture,
  hidePicture,
  keepPicture,
  listKeptPictures,
  removeKeptPicture,
  showPicture,
} from '../../operations/pictures/kept-pictures.ts'
import type { Thumbnails } from '../../operations/pictures/thumbnails.ts'
import type { ConsoleDependencies, ConsoleSettings } from '../console-dependencies.ts'
import type { GalleryPage, GalleryPicture, PictureKept } from '../contract/gallery.ts'
import { createQueryReader } from '../read-console-input.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { findStoredImages } from '../stored-images.ts'

const perPage = 48
const readQuery = createQueryReader({
  search: Type.Optional(Type.String({ maxLength: 200 })),
  after: Type.Optional(Type.String({ pattern: '^\\d{1,16}\\.[\\w-]{1,128}$' })),
})

type Dependencies = Pick<ConsoleDependencies, 'log' | 'outputs' | 'clock' | 'requests' | 'documents' | 'onFault'> &
  Pick<ConsoleSettings, 'maxDocumentBytes'> & { readonly thumbnails: Thumbnails }
type InOutput = { readonly Params: { readonly id: string; readonly index: string } }
type Kept = { readonly Params: { readonly id: string } }
type Shown = Kept & { readonly Querystring: { readonly width?: string } }

/** /console/api/pictures: saved copies of the caller's pictures, stored until deleted, and hidden pictures of the gallery. */
export function registerPictures(own: FastifyInstance, deps: Dependencies): void {
  own.get('/console/api/pictures', async (request, reply): Promise<GalleryPage> => {
    const { search = '', after } = readQuery(request)
    const query = { accountId: personOf(request).id, search: search.trim() || null, after: readPlace(after), limit: perPage + 1 }
    const found = await listKeptPictures(deps, query, { signal: clientSignal(reply) })
    const shown = found.slice(0, perPage)
    const last = shown.at(-1)
    return { pictures: shown.map(toGallery), next: found.length > perPage && last ? `${last.keptAt}.${last.id}` : null }
  })

  own.get<Shown>('/console/api/pictures/:id', async (request, reply) => {
    const signal = clientSignal(reply)
    const accountId = personOf(request).id
    const width = readThumbnailWidth(request.query.width)
    const find = () => findKeptPicture(deps, { accountId, id: request.params.id }, { signal })
    const { file, seed } = await find()
    const open = () => readStored(() => deps.outputs.open(file, { signal }), find)
    const { contentType, bytes } = file
    reply.header('cache-control', 'private, max-age=3600, immutable')
    if (width !== null) {
      const read = async () => Buffer.concat(await Array.fromAsync(await open()))
      const picture = await deps.thumbnails.open({ accountId, picture: request.params.id, expiresAt: null, read }, width, { signal })
      return reply.type(imageContentType(picture)).send(picture)
    }
    const chunks = await open()
    reply.header('content-disposition', `inline; filename="sepia-${seed}.${contentType.replace('image/', '')}"`)
    const onFailure = (error: unknown) => deps.onFault({ requestId: request.id, error })
    await sendChunks({ clock: deps.clock, onFailure }, reply, { contentType, bytes, chunks })
    return reply
  })

  own.delete<Kept>('/console/api/pictures/:id', async (request, reply) => {
    await removeKeptPicture(deps, { accountId: personOf(request).id, id: request.params.id }, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.put<InOutput>('/console/api/outputs/:id/images/:index/kept', async (request, reply): Promise<PictureKept> => {
    const options = { signal: clientSignal(reply) }
    const accountId = personOf(request).id
    const { id } = request.params
    const find = () => findPicture(deps, { accountId, ...request.params }, options)
    const { output, picture, index } = await find()
    const bytes = await readStored(() => openPicture(deps, { output, picture }, options), find)
    const ofPicture = { search: null, kind: null, deferred: true, before: null, limit: 1 }
    const [record] = await deps.requests.list({ ...ofPicture, accountId, ids: [id] }, options)
    const facts = { inferenceId: id, index, seed: picture.seed, model: record?.model ?? '', prompt: record?.requested?.excerpt ?? '' }
    return { id: await keepPicture(deps, { accountId, bytes, contentType: imageContentType(bytes), ...facts }, options) }
  })

  own.put<InOutput>('/console/api/outputs/:id/images/:index/hidden', async (request, reply) => {
    const options = { signal: clientSignal(reply) }
    const accountId = personOf(request).id
    const { index, expiresAt } = await findPicture(deps, { accountId, ...request.params }, options)
    await hidePicture(deps, { accountId, inferenceId: request.params.id, index, expiresAt }, options)
    return reply.code(204).send()
  })

  own.delete<InOutput>('/console/api/outputs/:id/images/:index/hidden', async (request, reply) => {
    const { id: inferenceId, index } = request.params
    await showPicture(deps, { accountId: personOf(request).id, inferenceId, index: Number(index) }, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })
}

async function findPicture(
  deps: Dependencies,
  { id, index, accountId }: { readonly id: string; readonly index: string; readonly accountId: string },
  options: Abortable,
) {
  const find = () => findOutput(deps, { id, accountId }, options)
  const { output, expiresAt } = await find()
  const at = /^\d{1,3}$/.test(index) ? Number(index) : -1
  const picture = (await readStored(() => findStoredImages(deps, output, options), find)).pictures[at]
  if (picture === undefined || picture.removedForSafety) throw new ServiceError('not_found', 'This output has no such image.')
  return { output, picture, index: at, expiresAt }
}

function toGallery({ id, inferenceId, index, seed, model, prompt }: Awaited<ReturnType<typeof findKeptPicture>>): GalleryPicture {
  return {
    key: id,
    address: `/console/api/pictures/${id}`,
    inferenceId,
    index,
    seed,
    model,
    prompt: prompt || null,
    kept: id,
    expiresAt: null,
  }
}

function readPlace(after: string | undefined): { readonly at: number; readonly id: string } | null {
  const [, at, id] = /^(\d+)\.(.+)$/.exec(after ?? '') ?? []
  return at === undefined || id === undefined ? null : { at: Number(at), id }
}
