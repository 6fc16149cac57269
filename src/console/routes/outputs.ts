import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { type OpenedOutput, openOutput } from '../../operations/deferred/open-output.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { OutputImages } from '../contract/outputs.ts'
import { imageContentType } from '../image-content-type.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { parseStoredImages } from '../stored-images.ts'

interface OutputRoute {
  Params: { id: string }
}

interface ImageRoute {
  Params: { id: string; index: string }
}

/** A stored output never changes, but it is private and soon deleted. */
const aWhile = 'private, max-age=3600, immutable'

/** /console/api/outputs: one's own stored outputs, whole, as a list of images, and image by image. */
export function registerOutputs(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'log' | 'outputs' | 'clock'>): void {
  const open = (request: FastifyRequest<OutputRoute>, reply: FastifyReply): Promise<OpenedOutput> =>
    openOutput(deps, { id: request.params.id, accountId: personOf(request).id }, { signal: clientSignal(reply) })

  own.get<OutputRoute>('/console/api/outputs/:id', async (request, reply) => {
    const { contentType, content } = await open(request, reply)
    const name = request.params.id.replace(/[^\w.-]/g, '_')
    return reply.type(contentType).header('content-disposition', `attachment; filename="${name}.json"`).send(Buffer.from(content))
  })

  own.get<OutputRoute>('/console/api/outputs/:id/images', async (request, reply): Promise<OutputImages> => {
    const { images, prediction_time_ms } = parseStoredImages((await open(request, reply)).content)
    return {
      images: images.map(({ seed, removed_for_safety }) => ({ seed, removedForSafety: removed_for_safety })),
      computeMs: prediction_time_ms,
    }
  })

  own.get<ImageRoute>('/console/api/outputs/:id/images/:index', async (request, reply) => {
    const { images } = parseStoredImages((await open(request, reply)).content)
    const image = images[Number(request.params.index)]
    if (image?.image_b64 == null) throw new ServiceError('not_found', 'This output has no such image.')
    const bytes = Buffer.from(image.image_b64, 'base64')
    const contentType = imageContentType(bytes)
    reply.header('content-disposition', `inline; filename="sepia-${image.seed}.${contentType.replace('image/', '')}"`)
    return reply.type(contentType).header('cache-control', aWhile).send(bytes)
  })
}
