import type { InferenceWork } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { WorkResult } from '../../../operations/run-work.ts'
import { encodeChatCompletion } from '../chat/chat-completion.ts'
import { startCompletion } from '../chat/completion-head.ts'
import { encodeImageResult } from '../images/image-result.ts'

/** The output to store: the very JSON that the synchronous route would answer. */
export function encodeOutput(
  { clock }: { readonly clock: Clock },
  work: InferenceWork,
  outcome: WorkResult,
): { readonly contentType: string; readonly bytes: Uint8Array } {
  return { contentType: 'application/json; charset=utf-8', bytes: Buffer.from(JSON.stringify(encodeBody(clock, work, outcome))) }
}

function encodeBody(clock: Clock, work: InferenceWork, outcome: WorkResult): object {
  if (work.kind === 'image' && outcome.kind === 'image') return encodeImageResult(work.request, outcome.result)
  if (work.kind === 'chat' && outcome.kind === 'chat')
    return encodeChatCompletion(startCompletion(clock, work.request.model), work.request, outcome.result)
  throw new TypeError(`The result of ${work.kind} work is no ${outcome.kind} result`)
}
