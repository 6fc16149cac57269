import type { FastifyReply, FastifyRequest } from 'fastify'
import { generateImage } from '../../../operations/generate-image.ts'
import { streamImage } from '../../../operations/stream-image.ts'
import { afterFirst } from '../../answers/first-part.ts'
import { sendEvents } from '../../answers/send-events.ts'
import { callerOf } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { interactiveWork } from '../../interactive-work.ts'
import { encodeOpenAiImages } from '../../wire/images/openai/images-answer.ts'
import { encodeImagesStream } from '../../wire/images/openai/images-stream.ts'
import type { OpenAiImages } from '../../wire/images/openai/resolve-images.ts'

/** Draws for a caller of OpenAI's shape and answers as it asked: with the pictures, or as a stream. */
export async function answerImages(
  deps: RouteDependencies,
  settings: HttpSettings,
  {
    incoming,
    reply,
    images: { request, delivery },
    name,
  }: {
    readonly incoming: FastifyRequest
    readonly reply: FastifyReply
    readonly images: OpenAiImages
    /** What the events of a stream begin with. */
    readonly name: 'image_generation' | 'image_edit'
  },
): Promise<object> {
  const caller = callerOf(incoming)
  const signal = clientSignal(reply)
  const work = interactiveWork(deps, settings, incoming)
  if (!delivery.stream) return encodeOpenAiImages(deps.clock, request, delivery, await generateImage(work, { caller, request }, { signal }))
  using _place = deps.places.take(caller.accountId, 'streams')
  const parts = await afterFirst(
    streamImage((onProgress) => generateImage(work, { caller, request }, { signal, onProgress }), { previews: delivery.partialImages }),
  )
  const events = encodeImagesStream(deps.clock, { request, delivery, name }, parts)
  await sendEvents(
    { clock: deps.clock, onFailure: (error) => deps.observer.faultSurvived({ requestId: incoming.id, error }) },
    reply,
    events,
  )
  return reply
}
