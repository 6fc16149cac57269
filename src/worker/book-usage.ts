import type { Outcome } from '../core/inference.ts'
import type { Claim } from '../core/ports/inference-queue.ts'
import type { WorkResult } from '../operations/run-work.ts'
import { unstoppable } from './unstoppable.ts'
import type { WorkerDependencies } from './worker-dependencies.ts'

/** Writes a finished inference into the books; a failure to do so never fails the inference. */
export async function bookUsage(
  { usage, clock, onEvent }: Pick<WorkerDependencies, 'usage' | 'clock' | 'onEvent'>,
  {
    claim,
    outcome,
    result,
    durationMs,
  }: { readonly claim: Claim; readonly outcome: Outcome; readonly result: WorkResult | null; readonly durationMs: number },
): Promise<void> {
  const { accountId, model, kind } = claim.inference
  const tokens = result?.kind === 'chat' ? result.result.usage : { promptTokens: 0, completionTokens: 0 }
  const entry = {
    accountId,
    tokenId: null,
    model,
    kind,
    outcome,
    promptTokens: tokens.promptTokens,
    completionTokens: tokens.completionTokens,
    images: result?.kind === 'image' ? result.result.images.length : 0,
    durationMs,
    at: clock.now(),
  }
  await usage.append(entry, unstoppable).catch((error: unknown) => onEvent({ type: 'fault', duty: 'book-usage', error }))
}
