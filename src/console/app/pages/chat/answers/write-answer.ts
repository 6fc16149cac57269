import { continuedFacts, type RecordedCall, type Turn, type TurnFacts } from '../../../../../core/chat/conversation.ts'
import { isMistake } from '../../../../../core/error.ts'
import type { JsonObject } from '../../../../../core/json-value.ts'
import { type ChatChunk, type ChatPart, partsOf } from '../../../interface/chat-parts.ts'
import { type EndedInference, followToItsEnd, retryUntilAnswered } from '../../../interface/follow-inference.ts'
import { causeOf, languageOf, request, requestIdOf, sentenceOf } from '../../../interface/request.ts'
import { language } from '../../../language/language.ts'
import { t } from '../../../language/t.ts'
import { isSignedOut } from '../../../state/session.ts'

interface Followed {
  /** The request that writes it. */
  readonly id: string
  /** In `performance.now()` time; null = requested by another page. */
  readonly sentAt: number | null
  readonly schema: JsonObject | null
  readonly signal: AbortSignal
  readonly onConnection: (isLost: boolean) => void
}

/**
 * Follows an answer, or its continuation, and reports it as it grows. When this resolves, the answer is done, cut, stopped or failed.
 *
 * @throws {RequestFailure} when the user is signed out.
 */
export async function followAnswer(
  turn: Turn,
  { id, sentAt, schema, signal, onConnection }: Followed,
  apply: (fields: Partial<Turn>) => void,
): Promise<void> {
  const { change, flush } = oncePerFrame(apply)
  let answer = new GrowingAnswer(turn, sentAt)
  try {
    const events = followToItsEnd(id, { signal })
    for (;;) {
      const { value: event, done } = await events.next()
      if (done) {
        if (event.outcome === 'succeeded' && !answer.isWhole)
          answer = await retryUntilAnswered(() => fetchAnswer(turn, id), { signal, onLost: () => onConnection(true) })
        change({ ...answer.fields(), ...endingOf(event, answer) })
        break
      }
      if (event.type !== 'begins') onConnection(event.type === 'connection-lost')
      if (event.type === 'begins' || (event.type === 'status' && event.attempt !== answer.attempt)) {
        answer = new GrowingAnswer(turn, sentAt, event.type === 'status' ? event.attempt : answer.attempt)
        continue
      }
      if (event.type !== 'written') continue
      for (const part of event.parts) answer.add(part)
      change(answer.fields())
    }
    if (schema !== null && answer.calls.length === 0) {
      const { schemaFaults } = await import('../structure/check-schema.ts')
      change({ schemaFaults: schemaFaults(schema, answer.content) })
    }
  } catch (error) {
    if (!signal.aborted && isSignedOut(error)) throw error
    change(signal.aborted ? { state: 'stopped' } : failedFields(error))
  } finally {
    onConnection(false)
    flush()
  }
}

/** An answer in progress, including the text from before its request. */
class GrowingAnswer {
  content: string
  calls: readonly RecordedCall[] = []
  /** The attempt that writes it; 0 = none has reported yet. */
  readonly attempt: number
  #thoughts: string
  #reason: string | null = null
  #usage: (ChatPart & { readonly type: 'usage' }) | null = null
  #firstAt = 0
  #lastAt = 0
  readonly #sentAt: number | null
  readonly #begunFacts: TurnFacts | null

  constructor({ content, thoughts = '', facts = null }: Turn, sentAt: number | null, attempt = 0) {
    this.content = content
    this.#begunFacts = facts
    this.#thoughts = thoughts
    this.#sentAt = sentAt
    this.attempt = attempt
  }

  /** Whether its end was received. */
  get isWhole(): boolean {
    return this.#reason !== null
  }

  get isCut(): boolean {
    return this.#reason === 'length'
  }

  add(part: ChatPart): void {
    this.#lastAt = performance.now()
    if (part.type === 'end') this.#reason = part.reason
    else if (part.type === 'usage') this.#usage = part
    else {
      this.#firstAt ||= this.#lastAt
      if (part.type === 'text') this.content += part.text
      else if (part.type === 'thoughts') this.#thoughts += part.text
      else this.calls = withCallPart(this.calls, part)
    }
  }

  fields(): Partial<Turn> {
    // An answer without text never began.
    const firstAt = this.#firstAt || this.#lastAt
    const times = this.#sentAt === null ? null : { firstTextMs: firstAt - this.#sentAt, writingMs: this.#lastAt - firstAt }
    return {
      content: this.content,
      ...(this.#thoughts !== '' && { thoughts: this.#thoughts }),
      ...(this.calls.length > 0 && { calls: this.calls }),
      ...(this.#usage !== null &&
        times !== null && {
          facts: continuedFacts(this.#begunFacts, {
            promptTokens: this.#usage.promptTokens,
            completionTokens: this.#usage.completionTokens,
            ...times,
          }),
        }),
    }
  }
}

/** Reads the stored output of an answer whose end was not received. */
async function fetchAnswer(turn: Turn, id: string): Promise<GrowingAnswer> {
  const answer = new GrowingAnswer(turn, null)
  for (const part of partsOf(await request<ChatChunk>(`/v1/responses/${encodeURIComponent(id)}`))) answer.add(part)
  return answer
}

function endingOf({ id, outcome, error }: EndedInference, answer: GrowingAnswer): Partial<Turn> {
  if (outcome === 'succeeded') return { state: answer.isCut ? 'cut' : 'done' }
  if (outcome === 'cancelled') return { state: 'stopped' }
  const failure = error?.message ?? t`The request failed.`
  const shown = { failure, failureLanguage: error ? 'en' : language, ...(!isMistake(error) && { requestId: id }) }
  return { state: 'failed', ...shown, ...(error?.cause !== undefined && { cause: error.cause }) }
}

/** How long a hidden page, which draws no frames, may delay changes, in milliseconds. */
const hiddenMs = 250

/** Combines changes, so that the page is drawn at most once per frame. */
function oncePerFrame(apply: (fields: Partial<Turn>) => void): {
  readonly change: (fields: Partial<Turn>) => void
  readonly flush: () => void
} {
  let waiting: Partial<Turn> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let frame = 0
  const flush = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    const fields = waiting
    waiting = null
    if (fields !== null) apply(fields)
  }
  const change = (fields: Partial<Turn>) => {
    if (waiting === null) {
      frame = requestAnimationFrame(flush)
      timer = setTimeout(flush, hiddenMs)
    }
    waiting = { ...waiting, ...fields }
  }
  return { change, flush }
}

/** The state of an answer whose request failed or could not be followed. */
export function failedFields(error: unknown): Partial<Turn> {
  const requestId = requestIdOf(error)
  const cause = causeOf(error)
  const failed = { failure: sentenceOf(error), failureLanguage: languageOf(error) ?? language }
  return { state: 'failed', ...failed, ...(requestId !== null && { requestId }), ...(cause !== null && { cause }) }
}

/** Adds a piece to one of the calls. */
function withCallPart(calls: readonly RecordedCall[], part: ChatPart & { readonly type: 'call' }): readonly RecordedCall[] {
  const known = calls[part.index] ?? { id: '', name: '', arguments: '' }
  const grown = { id: known.id || part.id, name: known.name + part.name, arguments: known.arguments + part.arguments }
  return [...calls.slice(0, part.index), grown, ...calls.slice(part.index + 1)]
}
