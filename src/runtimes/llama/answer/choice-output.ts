import { randomBytes } from 'node:crypto'
import type { FinishReason, TextPart, TextRequest, TokenLogprob } from '../../../core/text-generation.ts'
import type { DrawnLogprobs, GenerationEnd } from '../batch/generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'
import type { ToolFormat } from '../prompt/tool-format.ts'
import { ChoiceText, type ShownText } from './choice-text.ts'
import { ToolCallReader, type ToolEvent } from './tool-call-reader.ts'

/** Turns one choice's tokens into parts. */
export class ChoiceOutput {
  readonly #choice: number
  readonly #text: ChoiceText
  readonly #tools: ToolCallReader | null
  readonly #callsOnly: boolean
  readonly #push: (part: TextPart) => void

  /**
   * @param format How tool calls look; null when none are wanted.
   * @param callsOnly Whether nothing but calls may come, so that the beginning of one is never text.
   */
  constructor(
    { vocabulary, push }: { readonly vocabulary: Vocabulary; readonly push: (part: TextPart) => void },
    {
      choice,
      stop,
      format,
      callsOnly,
    }: { readonly choice: number; readonly stop: TextRequest['stop']; readonly format: ToolFormat | null; readonly callsOnly: boolean },
  ) {
    this.#choice = choice
    this.#text = new ChoiceText(vocabulary, stop)
    this.#tools = format === null ? null : new ToolCallReader(format)
    this.#callsOnly = callsOnly
    this.#push = push
  }

  /** What stands after a tool trigger while no call has begun; null otherwise. */
  get triggered(): string | null {
    return this.#tools?.written ?? null
  }

  add(token: number, logprobs: DrawnLogprobs | null): ShownText {
    const shown = this.#text.add(token, logprobs)
    this.#show(shown)
    return shown
  }

  /** Shows what was held back, and the finish. */
  end(end: GenerationEnd | 'stop-string'): void {
    if (end !== 'stop-string') this.#show(this.#text.flush())
    if (!this.#callsOnly) this.#pushText(this.#tools?.flush() ?? '', [])
    this.#push({ type: 'choice-finish', choice: this.#choice, reason: this.#reason(end) })
  }

  #reason(end: GenerationEnd | 'stop-string'): FinishReason {
    if (end === 'limit') return 'length'
    return this.#tools !== null && this.#tools.calls > 0 ? 'tool_calls' : 'stop'
  }

  #show({ text, logprobs }: ShownText): void {
    const events: readonly ToolEvent[] = this.#tools === null ? [{ type: 'text', text }] : this.#tools.add(text)
    const shown = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
    this.#pushText(shown, logprobs)
    for (const event of events) this.#pushCall(event)
  }

  #pushText(text: string, logprobs: readonly TokenLogprob[]): void {
    if (text.length === 0 && logprobs.length === 0) return
    this.#push({ type: 'text', choice: this.#choice, text, ...(logprobs.length > 0 && { logprobs }) })
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
