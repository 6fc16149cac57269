import type { Caller } from '../core/access-token.ts'
import { conversationKey } from '../core/cluster/attraction.ts'
import type { Submission, Work } from '../core/inference.ts'
import type { TextPart, TextRequest, TokenUsage } from '../core/text-generation.ts'
import { Booking, type InteractiveDependencies } from './booked.ts'
import { estimatePrompt, placeOf, wishOf } from './budgets/wish-of.ts'
import { holdSlot, type RunDependencies } from './model-slot.ts'
import type { UsageMeter } from './usage-meter.ts'
import { TextTimer } from './work-timers.ts'

type TextWork = Extract<Work, { readonly kind: 'chat' }>

/** A text that a model is about to write, on a slot that disposing it frees. */
export interface StartedText extends AsyncDisposable {
  readonly parts: AsyncIterable<TextPart>
  /** Counts and times a part. The reader of the parts calls it and passes them on, so that a token passes one generator less. */
  note(part: TextPart): void
}

/**
 * Runs one text request whose caller waits, and books it. Leaving the iteration frees the slot.
 *
 * @throws {ServiceError} what {@link startText} throws.
 */
export async function* generateText(
  deps: InteractiveDependencies,
  { caller, request }: { readonly caller: Caller; readonly request: TextRequest },
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  using booking = new Booking(deps, { caller, work: { kind: 'chat', request } }, { signal })
  try {
    await using text = await startText(deps, booking.submission, { signal, meter: booking.meter, deferred: false })
    for await (const part of text.parts) {
      text.note(part)
      yield part
    }
  } catch (error) {
    throw booking.failed(error)
  }
}

/**
 * Takes a slot of its model for a text request and starts it within the account's budgets: its prompt, as its model counts it, and every choice to its limit are
 * set aside. A request that named no limit is shortened to what is left.
 *
 * @throws {ServiceError} what the pool and the model throw, what reserving throws, and `inference_timeout`; its parts throw what the model throws.
 */
export async function startText(
  deps: RunDependencies,
  submission: Submission<TextWork>,
  { signal, meter, deferred }: { readonly signal: AbortSignal; readonly meter: UsageMeter; readonly deferred: boolean },
): Promise<StartedText> {
  const { accountId, tokenId, work } = submission
  const { model, choices, priority } = work.request
  const { clock, ledger, onWork } = deps
  const requestedAt = clock.now()
  // Deferred work keeps what was set aside while it waited until its prompt is counted.
  const place = deferred ? null : await ledger.reserve(placeOf(deps, submission), { signal })
  await using stack = new AsyncDisposableStack()
  const slot = stack.use(
    await holdSlot(
      deps,
      deps.pool.acquireText(model, {
        signal,
        account: accountId,
        sequences: choices,
        conversation: conversationKey(accountId, work.request),
        deferred,
        ...(place && { ahead: { asks: place.isLimited ? 'countPrompt' : 'generate', request: work.request } }),
        ...(priority !== undefined && { priority }),
      }),
      { signal, model },
    ),
  )
  const options = { signal: slot.signal, account: accountId }
  const isLimited = place?.isLimited ?? (await ledger.budgets({ accountId, tokenId }, options)).some(({ unit }) => unit !== 'images')
  let { request } = work
  if (isLimited) {
    const prompt = await (slot.model.countPrompt?.(request, options) ?? estimatePrompt(request).most)
    const room = slot.model.contextLength === undefined ? undefined : Math.max(1, slot.model.contextLength - prompt)
    const wish = wishOf(deps, submission, { running: true, prompt: { least: prompt, most: prompt, room } })
    const { tokens } = await ledger.reserve(wish, options)
    if (!deferred) meter.notePrompt(prompt)
    request = shortenedTo(request, { tokens, wanted: wish.tokens.most, prompt })
  }
  const timer = onWork === undefined ? null : stack.use(new TextTimer({ clock, onWork }, { model, requestedAt }))
  const parts = slot.model.generate(request, options)
  const started = stack.move()
  return {
    parts,
    note(part) {
      timer?.note(part)
      meter.noteText(part)
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** A request with a limit for each choice that the granted tokens suffice for. */
function shortenedTo(
  request: TextRequest,
  { tokens, wanted, prompt }: { readonly tokens: number; readonly wanted: number; readonly prompt: number },
): TextRequest {
  if (tokens >= wanted && request.maxTokensIsDefault !== true) return request
  const { maxTokensIsDefault: _, ...named } = request
  return { ...named, maxTokens: Math.floor((tokens - prompt) / request.choices) }
}

/**
 * Runs text requests whose caller waits one after the other, each booked by itself, as if they were one with the choices of all. Leaving the
 * iteration frees the slot.
 *
 * @throws {ServiceError} what {@link generateText} throws.
 */
export async function* generateSeveral(
  deps: InteractiveDependencies,
  { caller, requests }: { readonly caller: Caller; readonly requests: readonly TextRequest[] },
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  let before = 0
  let usage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }
  for (const request of requests) {
    for await (const part of generateText(deps, { caller, request }, { signal })) {
      if (part.type === 'finish') usage = addUsage(usage, part.usage)
      else if (part.type !== 'prompt') yield { ...part, choice: before + part.choice }
    }
    before += request.choices
  }
  yield { type: 'finish', usage }
}

function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const thoughtTokens = (one.thoughtTokens ?? 0) + (other.thoughtTokens ?? 0)
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    ...(thoughtTokens > 0 && { thoughtTokens }),
  }
}
