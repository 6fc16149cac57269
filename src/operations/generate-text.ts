import type { Caller } from '../core/access-token.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { limitTime } from './limit-time.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Runs one text request on a slot of its model and books it. Leaving the iteration frees the slot.
 *
 * @throws {ServiceError} what the pool and the model throw, and `inference_timeout`.
 */
export async function* generateText(
  deps: InteractiveDependencies,
  { caller, request, kind }: { readonly caller: Caller; readonly request: TextRequest; readonly kind: 'chat' | 'completion' },
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  const meter = new UsageMeter(deps, caller, { model: request.model, kind })
  try {
    await using lease = await deps.pool.acquireText(request.model, { signal, account: caller.accountId, sequences: request.choices })
    using limited = limitTime(deps.clock, { limitMs: deps.runLimitMs, signal })
    for await (const part of lease.model.generate(request, { signal: limited.signal, account: caller.accountId })) {
      if (part.type === 'text') meter.completionTokens += 1
      if (part.type === 'finish') {
        meter.promptTokens = part.usage.promptTokens
        meter.completionTokens = part.usage.completionTokens
        meter.succeeded = true
      }
      yield part
    }
  } finally {
    meter.book({ signal })
  }
}
