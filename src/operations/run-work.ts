import type { ImageProgress, ImageResult } from '../core/image-generation.ts'
import type { InferenceWork } from '../core/inference.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { collectText, type TextResult } from './collect-text.ts'
import { limitTime } from './limit-time.ts'

/** What deferred work gave, before it is encoded as the caller will fetch it. */
export type WorkResult = { readonly kind: 'image'; readonly result: ImageResult } | { readonly kind: 'chat'; readonly result: TextResult }

export interface WorkOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: ImageProgress) => void
}

/**
 * Runs deferred work on a slot of its model, just as the interactive path does.
 *
 * @throws {ServiceError} what the pool and the model throw, and `inference_timeout`.
 */
export async function runWork(
  deps: { readonly pool: ModelPool; readonly clock: Clock; readonly runLimitMs: number },
  { work, accountId }: { readonly work: InferenceWork; readonly accountId: string },
  { signal, onProgress }: WorkOptions,
): Promise<WorkResult> {
  if (work.kind === 'image') {
    await using lease = await deps.pool.acquireImage(work.request.model, {
      signal,
      account: accountId,
      sequences: work.request.seeds.length,
    })
    using limited = limitTime(deps.clock, { limitMs: deps.runLimitMs, signal })
    return { kind: 'image', result: await lease.model.generate(work.request, { signal: limited.signal, onProgress }) }
  }
  await using lease = await deps.pool.acquireText(work.request.model, { signal, account: accountId, sequences: work.request.choices })
  using limited = limitTime(deps.clock, { limitMs: deps.runLimitMs, signal })
  const parts = lease.model.generate(work.request, { signal: limited.signal, account: accountId })
  return { kind: 'chat', result: await collectText(countTokens(parts, work.request, onProgress)) }
}

async function* countTokens(
  parts: AsyncIterable<TextPart>,
  request: TextRequest,
  onProgress: WorkOptions['onProgress'],
): AsyncGenerator<TextPart, void, undefined> {
  const total = request.maxTokens * request.choices
  let step = 0
  for await (const part of parts) {
    if (part.type === 'text') onProgress({ step: ++step, total })
    yield part
  }
}
