import type { Caller } from '../core/access-token.ts'
import { conversationKey } from '../core/cluster/attraction.ts'
import type { Submission, Work } from '../core/inference.ts'
import type { TextPart, TextRequest, TokenUsage } from '../core/text-generation.ts'
import type { Abortable } from '../core/waiting.ts'
import { estimatePrompt, placeOf, wishOf } from './budgets/wish-of.ts'
import { holdSlot, type RunDependencies } from './model-slot.ts'
import { type InteractiveDependencies, UsageRecording } from './recorded-work.ts'
import type { UsageMeter } from './usage-meter.ts'
import { TextTimer } from './work-timers.ts'

type TextWork = Extract<Work, { readonly kind: 'chat' }>

/** A text about to be generated; disposing it frees the slot. */
export interface StartedText extends AsyncDisposable {
  readonly parts: AsyncIterable<TextPart>
  /** Counts and times a part. Called by the consumer, which saves a generator per token. */
  note(part: TextPart): void
}

/** A text request whose caller waits. */
interface RequestedText {
  readonly caller: Caller
  readonly request: TextRequest
  /** Completes the request before it runs; absent = it is complete. */
  readonly complete?: ((request: TextRequest) => Promise<TextRequest>) | undefined
  /** All requests of a group that the model has to accept before this one, their first, is answered. */
  readonly group?: readonly TextRequest[]
}

/**
 * Runs a text request whose caller waits and records its usage. Leaving the iteration frees the slot.
 *
 * @throws {ServiceError} as {@link startText}, and the errors of completing the request.
 */
export async function* generateText(
  deps: InteractiveDependencies,
  { caller, request: given, complete, group }: RequestedText,
  { signal }: Abortable,
): AsyncGenerator<TextPart, void, undefined> {
  const request = complete === undefined ? given : await complete(given)
  using recording = new UsageRecording(deps, { caller, work: { kind: 'chat', request } }, { signal })
  try {
    if (group !== undefined) await requireFit(deps, group, { signal, recording })
    await using text = await startText(deps, recording.submission, { signal, meter: recording.meter, deferred: false })
    for await (const part of text.parts) {
      text.note(part)
      yield part
    }
  } catch (error) {
    throw recording.failed(error)
  }
}

/**
 * Leases a slot and starts a text request within the account's budgets: it reserves the prompt, as counted by the model, and the limit of
 * every choice. A request without a limit is shortened to what is left.
 *
 * @throws {ServiceError} the errors of the pool, of the model and of reserving, and `inference_timeout`; iterating throws the model's
 * errors.
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
  // The reservation of deferred work from its wait stays until the prompt is counted.
  const place = deferred ? null : await ledger.reserve(placeOf(deps, submission), { signal })
  if (place !== null) meter.noteGrant(place)
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
        priority,
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

/** The request with a limit per choice that fits the granted tokens. */
function shortenedTo(
  request: TextRequest,
  { tokens, wanted, prompt }: { readonly tokens: number; readonly wanted: number; readonly prompt: number },
): TextRequest {
  if (tokens >= wanted && request.maxTokensIsDefault !== true) return request
  const { maxTokensIsDefault: _, ...named } = request
  return { ...named, maxTokens: Math.floor((tokens - prompt) / request.choices) }
}

/**
 * Runs several text requests whose caller waits, one after the other, as one request with the choices of all; usage is recorded for each.
 * None runs if the model refuses the prompt of one. Leaving the iteration frees the slot.
 *
 * @throws {ServiceError} as {@link generateText}.
 */
export async function* generateSeveral(
  deps: InteractiveDependencies,
  { caller, requests }: { readonly caller: Caller; readonly requests: readonly TextRequest[] },
  { signal }: Abortable,
): AsyncGenerator<TextPart, void, undefined> {
  let before = 0
  let usage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }
  for (const [index, request] of requests.entries()) {
    const isFirst = index === 0 && requests.length > 1
    for await (const part of generateText(deps, { caller, request, ...(isFirst && { group: requests }) }, { signal })) {
      if (part.type === 'finish') usage = addUsage(usage, part.usage)
      else if (part.type !== 'prompt') yield { ...part, choice: before + part.choice }
    }
    before += request.choices
  }
  yield { type: 'finish', usage }
}

/**
 * Counts the prompt of each request, within a place among the account's running requests. The first request keeps the place, and its usage
 * entry releases it.
 *
 * @throws {ServiceError} as {@link startText}.
 */
async function requireFit(
  deps: RunDependencies,
  requests: readonly TextRequest[],
  { signal, recording: { submission, meter } }: { readonly signal: AbortSignal; readonly recording: UsageRecording<TextWork> },
): Promise<void> {
  const { accountId: account, work } = submission
  const { model } = work.request
  meter.noteGrant(await deps.ledger.reserve(placeOf(deps, submission), { signal }))
  await using slot = await holdSlot(deps, deps.pool.acquireText(model, { signal, account }), { signal, model })
  for (const request of requests) await slot.model.countPrompt?.(request, { signal: slot.signal, account })
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
