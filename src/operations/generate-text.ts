import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { bookWork } from './book-work.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { runText } from './run-text.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Runs one text request whose caller waits, and books it. Leaving the iteration frees the slot.
 *
 * @throws {ServiceError} what {@link runText} throws.
 */
export async function* generateText(
  deps: InteractiveDependencies,
  { caller, request, kind }: { readonly caller: Caller; readonly request: TextRequest; readonly kind: 'chat' | 'completion' },
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  const { accountId, tokenId } = caller
  const meter = new UsageMeter(deps.clock, { accountId, tokenId, model: request.model, kind })
  const reservation = randomUUID()
  try {
    yield* meter.countText(runText(deps, { accountId, reservation, request, onPrompt: (tokens) => meter.notePrompt(tokens) }, { signal }))
  } finally {
    bookWork(deps, { meter, reservation }, { signal })
  }
}
