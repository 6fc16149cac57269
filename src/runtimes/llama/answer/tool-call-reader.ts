import { StopMatcher } from '../../../core/text/stop-matcher.ts'
import type { ToolFormat } from '../prompt/tool-format.ts'
import { type ArgumentsReader, JsonArguments, longestHead } from './arguments-reader.ts'
import { ParameterArguments } from './parameter-arguments.ts'

export type ToolEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly fragment: string }

/** Separates tool calls from text while fragments arrive. */
export class ToolCallReader {
  readonly #format: ToolFormat
  readonly #mark: StopMatcher
  /** Possible starts of a first call, without spaces. */
  readonly #openings: readonly string[]
  readonly #opening: string
  readonly #marked: boolean
  /** Whether the name alone distinguishes a call from text. */
  readonly #byName: boolean
  #phase: 'text' | 'head' | 'arguments'
  /** Text not shown yet: it may be the beginning of a mark. */
  #held = ''
  #head = ''
  #arguments: ArgumentsReader = new JsonArguments()
  #index = 0

  constructor(format: ToolFormat) {
    const { mark, before, parameters, tools } = format
    this.#format = format
    this.#opening = mark + before
    this.#marked = mark !== ''
    this.#byName = parameters !== undefined && before === ''
    // Qwen 3 Coder leaves the mark of a call out at times.
    const unmarked = parameters === undefined || before === '' ? [] : tools.map(({ name }) => before.trim() + name)
    this.#mark = new StopMatcher([mark, ...unmarked])
    if (!this.#marked) this.#openings = tools.flatMap(({ name }) => [`{"name":"${name}"`, `{"type":"function","name":"${name}"`])
    else if (this.#byName) this.#openings = tools.map(({ name }) => mark + name)
    else this.#openings = [squeeze(this.#opening), ...unmarked]
    this.#phase = this.#marked ? 'text' : 'head'
  }

  /** Calls read; none while one is unfinished, since it may never be whole. */
  get calls(): number {
    return this.#phase === 'arguments' ? 0 : this.#index
  }

  /** Characters that may still become a call's beginning, or nothing. */
  get held(): number {
    return this.#phase === 'text' ? this.#held.length : this.#head.length
  }

  /** Text from the mark on, or from the start without one, once it must become a call; null before and after. Normalized up to the name. */
  get written(): string | null {
    if (this.#phase !== 'head' || this.#index > 0) return null
    if (!this.#marked && !this.#openings.some((opening) => squeeze(this.#head).startsWith(opening))) return null
    return this.#head.replace(this.#format.lead, () => this.#opening)
  }

  add(fragment: string): readonly ToolEvent[] {
    const events: ToolEvent[] = []
    let rest = fragment
    while (rest.length > 0) {
      if (this.#phase === 'text') rest = this.#readText(rest, events)
      else rest = this.#phase === 'head' ? this.#readHead(rest, events) : this.#readArguments(rest, events)
    }
    return events
  }

  /** Returns held-back text that could have begun a call. */
  flush(): string {
    if (this.#phase === 'text') return this.#mark.flush()
    return this.#phase === 'head' && this.#index === 0 && this.written === null ? this.#head : ''
  }

  #readText(fragment: string, events: ToolEvent[]): string {
    const { text, stopped } = this.#mark.add(fragment)
    if (text.length > 0) events.push({ type: 'text', text })
    this.#held = (this.#held + fragment).slice(text.length)
    if (!stopped) return ''
    this.#phase = 'head'
    const rest = this.#held
    this.#held = ''
    return rest
  }

  #readHead(fragment: string, events: ToolEvent[]): string {
    this.#head += fragment
    if (this.#index === 0 && !this.#mayBecomeCall()) return this.#giveBack(events)
    const match = this.#format.heads.map((head) => head.exec(this.#head)).find((found) => found !== null)
    if (match === undefined) return this.#awaitHead(events)
    const [, name = ''] = match
    if (this.#index === 0 && this.#byName && !this.#format.tools.some((tool) => tool.name === name)) return this.#giveBack(events)
    const rest = this.#head.slice(match.index + match[0].length)
    events.push({ type: 'call', index: this.#index, name })
    this.#phase = 'arguments'
    this.#head = ''
    this.#arguments = this.#readerOf(name)
    return rest
  }

  /** Waits for the rest of a head, which is looked through again with each fragment, so that it must not grow without end. */
  #awaitHead(events: ToolEvent[]): string {
    if (this.#head.length <= longestHead) return ''
    if (this.#index === 0) return this.#giveBack(events)
    this.#head = this.#head.slice(-longestHead)
    return ''
  }

  #mayBecomeCall(): boolean {
    const written = squeeze(this.#head)
    return this.#openings.some((opening) => opening.startsWith(written) || written.startsWith(opening))
  }

  /** Text that only resembled a call is output as text, at least its first character. */
  #giveBack(events: ToolEvent[]): string {
    const text = this.#head.slice(0, 1)
    const rest = this.#head.slice(1)
    events.push({ type: 'text', text })
    this.#phase = 'text'
    this.#head = ''
    return rest
  }

  #readerOf(name: string): ArgumentsReader {
    const { parameters, tools } = this.#format
    if (parameters === undefined) return new JsonArguments()
    return new ParameterArguments(this.#format, parameters, tools.find((tool) => tool.name === name)?.parameters ?? {})
  }

  #readArguments(fragment: string, events: ToolEvent[]): string {
    const { json, rest } = this.#arguments.add(fragment)
    if (json.length > 0) events.push({ type: 'arguments', index: this.#index, fragment: json })
    if (this.#arguments.open) return ''
    this.#phase = 'head'
    this.#index++
    return rest
  }
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '')
}
