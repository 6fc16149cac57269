import { conversationKey } from '../core/cluster/conversation-key.ts'
import type { TextAhead } from '../core/ports/model-pool.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { holdTextBudget } from './budgets/hold-text-budget.ts'
import { holdSlot, type RunDependencies } from './hold-slot.ts'
import { TextTimer } from './text-timer.ts'

/** A text that a model is about to say, on a slot that disposing it frees. */
export interface StartedText extends AsyncDisposable {
  readonly parts: AsyncIterable<TextPart>
  /** Whether something was set aside for it when it started. */
  readonly isReserved: boolean
  /** To be told each part on its way: whoever reads the parts passes them on himself, so that a token passes one generator less. */
  note(part: TextPart): void
}

/**
 * Takes a slot of its model for a text request and starts it within the account's budget, unmetered.
 *
 * @param work.reservation What is set aside for it is called so, until it is settled.
 * @param work.onPrompt Told the tokens of the prompt when it is about to be read, where a budget made them known.
 * @throws {ServiceError} what the pool and the model throw, `quota_exceeded` and `inference_timeout`; its parts throw what the model throws.
 */
export async function startText(
  deps: RunDependencies,
  work: {
    readonly accountId: string
    readonly tokenId: string | null
    readonly reservation: string
    readonly request: TextRequest
    readonly deferred?: boolean
    /** What its model will be asked first, as far as budgets are known; absent = nobody knows. */
    readonly ahead?: TextAhead['asks']
    readonly onPrompt?: (tokens: number) => void
  },
  { signal }: { readonly signal: AbortSignal },
): Promise<StartedText> {
  const { accountId, request, deferred = false, ahead } = work
  const askedAt = deps.clock.now()
  await using stack = new AsyncDisposableStack()
  const slot = stack.use(
    await holdSlot(
      deps,
      deps.pool.acquireText(request.model, {
        signal,
        account: accountId,
        sequences: request.choices,
        conversation: conversationKey(accountId, request),
        deferred,
        ...(ahead && { ahead: { asks: ahead, request } }),
        ...(request.priority !== undefined && { priority: request.priority }),
      }),
      { signal, model: request.model },
    ),
  )
  const allowed = await holdTextBudget(deps, { ...work, model: slot.model }, { signal: slot.signal })
  if (allowed.promptTokens !== null) work.onPrompt?.(allowed.promptTokens)
  const { clock, onWork } = deps
  const timer = onWork === undefined ? null : stack.use(new TextTimer({ clock, onWork }, { model: request.model, askedAt }))
  const parts = slot.model.generate(allowed.request, { signal: slot.signal, account: accountId })
  const started = stack.move()
  return {
    parts,
    isReserved: allowed.promptTokens !== null,
    note: (part) => timer?.note(part),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
