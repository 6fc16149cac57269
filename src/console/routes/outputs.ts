import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { imageContentType } from '../../http/answers/image-content-type.ts'
import { sendChunks } from '../../http/answers/send-chunks.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { readThumbnailWidth } from '../../http/wire/images/thumbnail-width.ts'
import { type FoundOutput, findOutput, openPicture, readStored } from '../../operations/deferred/outputs.ts'
import type { Thumbnails } from '../../operations/pictures/thumbnails.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { OutputImages } from '../contract/outputs.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { findStoredImages } from '../stored-images.ts'

interface OutputRoute {
  Params: { id: string }
}

interface ImageRoute {
  Params: { id: string; index: string }
  Querystring: { width?: string }
}

/** A stored output never changes, but it is private and will be deleted. */
const aWhile = 'private, max-age=3600, immutable'

type OutputDependencies = Pick<ConsoleDependencies, 'log' | 'outputs' | 'clock' | 'onFault'> & { readonly thumbnails: Thumbnails }

/** /console/api/outputs: the caller's stored outputs: whole, as a list of images, and single images. */
export function registerOutputs(own: FastifyInstance, deps: OutputDependencies): void {
  const find = (request: FastifyRequest<OutputRoute>, reply: FastifyReply): Promise<FoundOutput> =>
    findOutput(deps, { id: request.params.id, accountId: personOf(request).id }, { signal: clientSignal(reply) })

  own.get<OutputRoute>('/console/api/outputs/:id', async (request, reply) => {
    const { output } = await find(request, reply)
    const chunks = await readStored(
      () => deps.outputs.open(output, { signal: clientSignal(reply) }),
      () => find(request, reply),
    )
    const name = request.params.id.replace(/[^\w.-]/g, '_')
    reply.header('content-disposition', `attachment; filename="${name}.json"`)
    const { contentType, bytes } = output
    await sendChunks({ clock: deps.clock, onFailure: (error) => deps.onFault({ requestId: request.id, error }) }, reply, {
      contentType,
      bytes,
      chunks,
    })
    return reply
  })

  own.get<OutputRoute>('/console/api/outputs/:id/images', async (request, reply): Promise<OutputImages> => {
    const { output } = await find(request, reply)
    const { computeMs, pictures } = await readStored(
      () => findStoredImages(deps, output, { signal: clientSignal(reply) }),
      () => find(request, reply),
    )
    return { images: pictures.map(({ seed, removedForSafety }) => ({ seed, removedForSafety })), computeMs }
  })

  own.get<ImageRoute>('/console/api/outputs/:id/images/:index', async (request, reply) => {
    const options = { signal: clientSignal(reply) }
    const width = readThumbnailWidth(request.query.width)
    const { output, expiresAt } = await find(request, reply)
    const { id, index } = request.params
    const stored = await readStored(
      () => findStoredImages(deps, output, options),
      () => find(request, reply),
    )
    const picture = stored.pictures[Number(index)]
    if (picture === undefined || picture.removedForSafety) throw new ServiceError('not_found', 'This output has no such image.')
    const read = () =>
      readStored(
        () => openPicture(deps, { output, picture }, options),
        () => find(request, reply),
      )
    const source = { accountId: personOf(request).id, picture: `${id}.${Number(index)}`, expiresAt, read }
    const bytes = width === null ? await read() : await deps.thumbnails.open(source, width, options)
    const contentType = imageContentType(bytes)
    reply.header('content-disposition', `inline; filename="sepia-${picture.seed}.${contentType.replace('image/', '')}"`)
    return reply.type(contentType).header('cache-control', aWhile).send(bytes)
  })
}
