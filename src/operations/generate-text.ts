import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { bookWork } from './book-work.ts'
import { holdPlace } from './budgets/hold-work-budget.ts'
import { estimatePrompt } from './budgets/text-estimate.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { startText } from './start-text.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Runs one text request whose caller waits, and books it. Leaving the iteration frees the slot.
 *
 * @throws {ServiceError} what {@link startText} throws.
 */
export async function* generateText(
  deps: InteractiveDependencies,
  { caller, request, kind }: { readonly caller: Caller; readonly request: TextRequest; readonly kind: 'chat' | 'completion' },
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  const { accountId, tokenId } = caller
  const { model } = request
  const expectPrompt = (): number => estimatePrompt(request).least
  const meter = new UsageMeter(deps.clock, { accountId, tokenId, model, kind }, deps.priceOf?.(model), expectPrompt)
  const reservation = randomUUID()
  let isReserved = true
  let failure: unknown = null
  try {
    const isLimited = await holdPlace(deps, { accountId, tokenId, reservation, model }, { signal })
    const onPrompt = (tokens: number) => meter.notePrompt(tokens)
    const ahead = isLimited ? 'countPrompt' : 'generate'
    await using text = await startText(deps, { accountId, tokenId, reservation, request, ahead, onPrompt }, { signal })
    isReserved = isLimited || text.isReserved
    for await (const part of text.parts) {
      text.note(part)
      meter.noteText(part)
      yield part
    }
  } catch (error) {
    failure = error
    throw error
  } finally {
    bookWork(deps, { meter, reservation: isReserved ? reservation : null, failure }, { signal })
  }
}
