import { conversationKey } from '../core/cluster/conversation-key.ts'
import type { TextAhead } from '../core/ports/model-pool.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { holdTextBudget } from './budgets/hold-text-budget.ts'
import { holdSlot, type RunDependencies } from './hold-slot.ts'
import { TextTimer } from './text-timer.ts'

/**
 * Runs a text request on a slot of its model, within the account's budget, unmetered. Leaving the iteration frees the slot.
 *
 * @param work.reservation What is set aside for it is called so, until it is settled.
 * @param work.onPrompt Told the tokens of the prompt when it is about to be read, where a budget made them known.
 * @throws {ServiceError} what the pool and the model throw, `quota_exceeded` and `inference_timeout`.
 */
export async function* runText(
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
): AsyncGenerator<TextPart, void, undefined> {
  const { accountId, request, deferred = false, ahead } = work
  const askedAt = deps.clock.now()
  await using slot = await holdSlot(
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
  )
  const allowed = await holdTextBudget(deps, { ...work, model: slot.model }, { signal: slot.signal })
  if (allowed.promptTokens !== null) work.onPrompt?.(allowed.promptTokens)
  const parts = slot.model.generate(allowed.request, { signal: slot.signal, account: accountId })
  const { clock, onWork } = deps
  using timer = onWork === undefined ? null : new TextTimer({ clock, onWork }, { model: request.model, askedAt })
  for await (const part of parts) {
    timer?.note(part)
    yield part
  }
}
