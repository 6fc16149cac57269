import { randomBytes } from 'node:crypto'
import { defined } from '../../../core/defined.ts'
import { StopMatcher } from '../../../core/text/stop-matcher.ts'
import type { EndingRules, FinishReason, TextPart, TextRequest } from '../../../core/text-generation.ts'
import type { DrawnLogprobs, GenerationEnd } from '../batch/generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'
import type { ToolFormat } from '../prompt/tool-format.ts'
import { ChoiceText, type ReportedTokens } from './choice-text.ts'
import type { ReadThoughts, ThoughtReader } from './thought-reader.ts'
import { ToolCallReader, type ToolEvent } from './tool-call-reader.ts'

/** A token's addition to an answer. */
export interface Addition {
  readonly text: string
  /** Whether a stop string ended the answer. */
  readonly stopped: boolean
}

/** How the tokens of a choice are read. */
export interface ChoiceReading {
  readonly choice: number
  readonly stop: TextRequest['stop']
  readonly ending: EndingRules
  /** Format of tool calls; null = none are expected. */
  readonly format: ToolFormat | null
  /** Reader of the reasoning before the answer; null = the model does not reason. */
  readonly thoughts: ThoughtReader | null
  /** Whether the answer consists of calls only, so that the start of one is never text. */
  readonly callsOnly: boolean
  /** Whether text includes the ids of its tokens. */
  readonly tellsTokens?: boolean | undefined
  readonly push: (part: TextPart) => void
}

/** Turns one choice's tokens into parts. Stop strings are looked for in its text, not in its tool calls. */
export class ChoiceOutput {
  readonly #reading: ChoiceReading
  readonly #text: ChoiceText
  readonly #stops: StopMatcher
  #tokens = 0
  readonly #tools: ToolCallReader | null

  constructor(vocabulary: Vocabulary, reading: ChoiceReading) {
    const { stop, ending, format, tellsTokens = false } = reading
    this.#reading = reading
    this.#text = new ChoiceText(vocabulary, tellsTokens)
    this.#stops = new StopMatcher(stop, ending)
    this.#tools = format === null ? null : new ToolCallReader(format.readAs ?? format)
  }

  /** Text after a tool trigger before a call begins; null = no trigger. */
  get triggered(): string | null {
    return this.#reading.thoughts?.callHead ?? this.#tools?.written ?? null
  }

  add(token: number, logprobs: DrawnLogprobs | null): Addition {
    this.#tokens++
    const text = this.#text.add(token, logprobs)
    const stopped = this.#show(this.#read(this.#reading.thoughts?.add(text) ?? { thoughts: '', text }))
    return { text, stopped }
  }

  get answering(): boolean {
    return this.#reading.thoughts?.answering ?? true
  }

  get insideThoughts(): boolean {
    return this.#reading.thoughts?.inside ?? false
  }

  /**
   * Shows what was held back, and the finish; an unfinished character is dropped.
   *
   * @param warnings What of the request was not followed.
   */
  end(end: GenerationEnd | 'stop-string', warnings: readonly string[] = []): void {
    if (end !== 'stop-string') {
      if (this.#reading.thoughts !== null) this.#show(this.#read(this.#reading.thoughts.flush()))
      const text = this.#reading.callsOnly ? '' : (this.#tools?.flush() ?? '')
      const { text: shown, stopped } = this.#stops.add(text)
      this.#pushText(stopped ? shown : shown + this.#stops.flush(), this.#text.takeAllReported())
    }
    const { choice, push } = this.#reading
    const reported = { stop: this.#stops.found ?? undefined, warnings: warnings.length > 0 ? warnings : undefined }
    push({ type: 'choice-finish', choice, reason: this.#reason(end), ...defined(reported) })
  }

  #reason(end: GenerationEnd | 'stop-string'): FinishReason {
    if (end === 'limit') return 'length'
    return this.#tools !== null && this.#tools.calls > 0 ? 'tool_calls' : 'stop'
  }

  #read({ thoughts, text }: ReadThoughts): readonly ToolEvent[] {
    const { choice, push } = this.#reading
    if (thoughts.length > 0) push({ type: 'thoughts', choice, text: thoughts })
    return this.#tools?.add(text) ?? [{ type: 'text', text }]
  }

  #show(events: readonly ToolEvent[]): boolean {
    let shown = ''
    let stopped = false
    let undecided = this.#stops.held
    const calls: ToolEvent[] = []
    for (const event of events) {
      if (event.type === 'text') {
        undecided += event.text.length
        const added = this.#tokens < this.#reading.ending.minTokens ? { text: event.text, stopped: false } : this.#stops.add(event.text)
        shown += added.text
        stopped = added.stopped
      } else {
        shown += this.#stops.flush() // A call has begun, so that no earlier text can become a stop string.
        calls.push(event)
      }
      if (stopped) break
    }
    undecided += (this.#reading.thoughts?.held ?? 0) + (this.#tools?.held ?? 0) - shown.length
    this.#pushText(shown, this.#text.takeReported(undecided))
    for (const event of calls) this.#pushCall(event)
    return stopped
  }

  #pushText(text: string, { logprobs, tokens }: ReportedTokens): void {
    if (text.length === 0 && logprobs.length === 0 && tokens.length === 0) return
    const reported = { ...(logprobs.length > 0 && { logprobs }), ...(tokens.length > 0 && { tokens }) }
    this.#reading.push({ type: 'text', choice: this.#reading.choice, text, ...reported })
  }

  #pushCall(event: ToolEvent): void {
    if (event.type === 'text') return
    const { choice, push } = this.#reading
    const { index } = event
    if (event.type === 'call') push({ type: 'tool-call', choice, index, id: callId(), name: event.name })
    else if (event.fragment.length > 0) push({ type: 'tool-arguments', choice, index, fragment: event.fragment })
  }
}

/** Nine letters and digits: what Mistral's templates insist on, and unique enough within a conversation. */
function callId(): string {
  return randomBytes(16)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .padEnd(9, '0')
    .slice(0, 9)
}
