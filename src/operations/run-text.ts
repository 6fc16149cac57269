import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { holdSlot, type RunDependencies } from './hold-slot.ts'

/**
 * Runs a text request on a slot of its model, unmetered. Leaving the iteration frees the slot.
 *
 * @throws {ServiceError} what the pool and the model throw, and `inference_timeout`.
 */
export async function* runText(
  deps: RunDependencies,
  { accountId, request }: { readonly accountId: string; readonly request: TextRequest },
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  await using slot = await holdSlot(
    deps,
    deps.pool.acquireText(request.model, { signal, account: accountId, sequences: request.choices }),
    { signal },
  )
  yield* slot.model.generate(request, { signal: slot.signal, account: accountId })
}
