import type { InferenceWork } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { EncodedOutput } from '../../../operations/deferred/outputs.ts'
import type { WorkResult } from '../../../operations/run-work.ts'
import { encodeChatCompletion } from '../chat/chat-completion.ts'
import { encodeCompletion, startCompletion } from '../chat/completion.ts'
import { encodeEmbedding } from '../chat/text-answers.ts'
import { ImageChunks } from '../images/image-chunks.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * Encodes the output to store: exactly the JSON of the synchronous route. For failed work, unfinished choices have no finish reason, and
 * there are no log probabilities.
 */
export function encodeOutput({ clock }: { readonly clock: Clock }, work: InferenceWork, outcome: WorkResult): EncodedOutput {
  if ((work.kind === 'image' || work.kind === 'enlargement') && outcome.kind === work.kind) {
    const chunks = new ImageChunks(work, outcome.result)
    return { contentType, chunks, images: () => chunks.images() }
  }
  if (work.kind === 'chat' && outcome.kind === 'chat') {
    const head = startCompletion(clock, work.request.model)
    const { unfinished } = outcome.result
    const request = unfinished === undefined ? work.request : { ...work.request, topLogprobs: null }
    const completion = (request.input.type === 'prompt' ? encodeCompletion : encodeChatCompletion)(head, request, outcome.result)
    const choices = completion.choices.map((choice) => (unfinished?.includes(choice.index) ? { ...choice, finish_reason: null } : choice))
    return { contentType, chunks: [Buffer.from(JSON.stringify({ ...completion, choices }))] }
  }
  if (work.kind === 'embedding' && outcome.kind === 'embedding') {
    const embedding = encodeEmbedding(work.request.model, outcome.result, work.asBase64 ? 'base64' : 'float')
    return { contentType, chunks: [Buffer.from(JSON.stringify(embedding))] }
  }
  throw new TypeError(`The result of ${work.kind} work is not a ${outcome.kind} result`)
}
