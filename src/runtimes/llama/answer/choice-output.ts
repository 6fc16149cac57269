import { randomBytes } from 'node:crypto'
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

/** Turns one choice's tokens into parts. Stop strings are looked for in its text, not in its tool calls. */
export class ChoiceOutput {
  readonly #choice: number
  readonly #text: ChoiceText
  readonly #stops: StopMatcher
  readonly #minTokens: number
  #tokens = 0
  readonly #tools: ToolCallReader | null
  readonly #thoughts: ThoughtReader | null
  readonly #callsOnly: boolean
  readonly #push: (part: TextPart) => void

  /**
   * @param format Format of tool calls; null = none are expected.
   * @param thoughts Reader of the reasoning before the answer; null = the model does not reason.
   * @param callsOnly Whether the answer consists of calls only, so that the start of one is never text.
   * @param tellsTokens Whether text includes the ids of its tokens.
   */
  constructor(
    { vocabulary, push }: { readonly vocabulary: Vocabulary; readonly push: (part: TextPart) => void },
    {
      choice,
      stop,
      ending,
      format,
      thoughts,
      callsOnly,
      tellsTokens = false,
    }: {
      readonly choice: number
      readonly stop: TextRequest['stop']
      readonly ending: EndingRules
      readonly format: ToolFormat | null
      readonly thoughts: ThoughtReader | null
      readonly callsOnly: boolean
      readonly tellsTokens?: boolean | undefined
    },
  ) {
    this.#choice = choice
    this.#text = new ChoiceText(vocabulary, tellsTokens)
    this.#stops = new StopMatcher(stop, ending)
    this.#minTokens = ending.minTokens
    this.#tools = format === null ? null : new ToolCallReader(format.readAs ?? format)
    this.#thoughts = thoughts
    this.#callsOnly = callsOnly
    this.#push = push
  }

  /** Text after a tool trigger before a call begins; null = no trigger. */
  get triggered(): string | null {
    return this.#thoughts?.callHead ?? this.#tools?.written ?? null
  }

  add(token: number, logprobs: DrawnLogprobs | null): Addition {
    this.#tokens++
    const text = this.#text.add(token, logprobs)
    const stopped = this.#show(this.#read(this.#thoughts?.add(text) ?? { thoughts: '', text }))
    return { text, stopped }
  }

  /** Whether what comes next is the answer. */
  get answering(): boolean {
    return this.#thoughts?.answering ?? true
  }

  /** Whether what comes next is a thought. */
  get insideThoughts(): boolean {
    return this.#thoughts?.inside ?? false
  }

  /**
   * Shows what was held back, and the finish; an unfinished character is dropped.
   *
   * @param warnings What of the request was not followed.
   */
  end(end: GenerationEnd | 'stop-string', warnings: readonly string[] = []): void {
    if (end !== 'stop-string') {
      if (this.#thoughts !== null) this.#show(this.#read(this.#thoughts.flush()))
      const text = this.#callsOnly ? '' : (this.#tools?.flush() ?? '')
      const { text: shown, stopped } = this.#stops.add(text)
      this.#pushText(stopped ? shown : shown + this.#stops.flush(), this.#text.takeAllReported())
    }
    const stop = this.#stops.found
    this.#push({
      type: 'choice-finish',
      choice: this.#choice,
      reason: this.#reason(end),
      ...(stop !== null && { stop }),
      ...(warnings.length > 0 && { warnings }),
    })
  }

  #reason(end: GenerationEnd | 'stop-string'): FinishReason {
    if (end === 'limit') return 'length'
    return this.#tools !== null && this.#tools.calls > 0 ? 'tool_calls' : 'stop'
  }

  #read({ thoughts, text }: ReadThoughts): readonly ToolEvent[] {
    if (thoughts.length > 0) this.#push({ type: 'thoughts', choice: this.#choice, text: thoughts })
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
        const added = this.#tokens < this.#minTokens ? { text: event.text, stopped: false } : this.#stops.add(event.text)
        shown += added.text
        stopped = added.stopped
      } else {
        shown += this.#stops.flush() // A call has begun, so that no earlier text can become a stop string.
        calls.push(event)
      }
      if (stopped) break
    }
    undecided += (this.#thoughts?.held ?? 0) + (this.#tools?.held ?? 0) - shown.length
    this.#pushText(shown, this.#text.takeReported(undecided))
    for (const event of calls) this.#pushCall(event)
    return stopped
  }

  #pushText(text: string, { logprobs, tokens }: ReportedTokens): void {
    if (text.length === 0 && logprobs.length === 0 && tokens.length === 0) return
    const reported = { ...(logprobs.length > 0 && { logprobs }), ...(tokens.length > 0 && { tokens }) }
    this.#push({ type: 'text', choice: this.#choice, text, ...reported })
  }

  #pushCall(event: ToolEvent): void {
    if (event.type === 'text') return
    const { index } = event
    if (event.type === 'call') this.#push({ type: 'tool-call', choice: this.#choice, index, id: callId(), name: event.name })
    else if (event.fragment.length > 0) this.#push({ type: 'tool-arguments', choice: this.#choice, index, fragment: event.fragment })
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
