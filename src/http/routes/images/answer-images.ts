import type { Caller } from '../../../core/access-token.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { drawStored } from '../../../operations/deferred/draw-stored.ts'
import { generateImage } from '../../../operations/run-work.ts'
import { readServiceKey } from '../../../operations/service-key.ts'
import { streamImage } from '../../../operations/stream-image.ts'
import { isLate } from '../../answers/early-events.ts'
import { fromFirst } from '../../answers/first-part.ts'
import { sendEvents } from '../../answers/send-events.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import { signPictureLink } from '../../links/picture-link.ts'
import type { Call } from '../../route.ts'
import { expectOutputBytes } from '../../wire/deferred/output-size.ts'
import { pingComment } from '../../wire/event-data.ts'
import { encodeImageLinks, encodeOpenAiImages } from '../../wire/images/openai/images-answer.ts'
import { encodeImagesStream } from '../../wire/images/openai/images-stream.ts'
import type { OpenAiImages } from '../../wire/images/openai/resolve-images.ts'

/**
 * Draws for OpenAI's image routes and answers with images, links or a stream, as requested.
 *
 * @param requested.name Prefix of the stream's event names.
 */
export async function answerImages(
  deps: RouteDependencies,
  { reply, caller, options, onFailure, work }: Call,
  { request, delivery, name }: OpenAiImages & { readonly name: 'image_generation' | 'image_edit' },
): Promise<object> {
  if (delivery.links) return answerLinks(deps, { caller, images: { request, delivery } }, options)
  const drawing = { caller, work: { kind: 'image', request } } as const
  if (!delivery.stream) return encodeOpenAiImages(deps.clock, request, delivery, await generateImage(work, drawing, options))
  using _place = await deps.places.take(caller.accountId, 'streams')
  const draw: Parameters<typeof streamImage>[0] = (onProgress) => generateImage(work, drawing, { ...options, onProgress })
  const parts = streamImage(draw, { previews: delivery.partialImages })
  const { clock } = deps
  const first = parts.next()
  const isDue = await isLate(clock, first)
  const events = encodeImagesStream(clock, { request, delivery, name }, fromFirst(first, parts))
  await sendEvents({ clock, onFailure }, reply, events, { ping: { text: pingComment, isDue } })
  return reply
}

async function answerLinks(
  deps: RouteDependencies,
  { caller, images: { request, delivery } }: { readonly caller: Caller; readonly images: OpenAiImages },
  options: Abortable,
): Promise<object> {
  const outputBytes = expectOutputBytes({ kind: 'image', request })
  const { id: inferenceId, output, expiresAt } = await drawStored(deps, { caller, request, outputBytes }, options)
  const { accountId } = caller
  const key = await readServiceKey(deps, options)
  const expires = Math.floor(expiresAt / 1000)
  const { imageUrl } = deps.addresses()
  return encodeImageLinks(
    deps.clock,
    { request, delivery, pictures: output.images?.pictures ?? [] },
    (index) => `${imageUrl}${signPictureLink(key, { accountId, inferenceId, index, expires })}`,
  )
}
