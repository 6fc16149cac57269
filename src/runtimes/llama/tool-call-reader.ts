import { JsonScanner } from './json-scanner.ts'
import { StopMatcher } from './stop-matcher.ts'
import type { ToolFormat } from './tool-format.ts'

export type ToolEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly fragment: string }

const head = /"name"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"(?:arguments|parameters)"\s*:\s*/

/** Tells tool calls from text while both arrive in fragments. */
export class ToolCallReader {
  readonly #format: ToolFormat
  readonly #trigger: StopMatcher
  #phase: 'text' | 'head' | 'arguments' = 'text'
  #text = ''
  #head = ''
  #scanner = new JsonScanner()
  #index = 0

  constructor(format: ToolFormat) {
    this.#format = format
    this.#trigger = new StopMatcher([format.trigger])
  }

  /** Calls begun so far. */
  get calls(): number {
    return this.#index + (this.#phase === 'arguments' ? 1 : 0)
  }

  /** What stands after the trigger while no call has begun; null before the trigger. */
  get written(): string | null {
    return this.#phase === 'head' && this.#index === 0 ? this.#head.slice(this.#format.trigger.length) : null
  }

  add(fragment: string): readonly ToolEvent[] {
    const events: ToolEvent[] = []
    let rest = this.#phase === 'text' ? this.#readText(fragment, events) : fragment
    while (rest.length > 0) rest = this.#phase === 'arguments' ? this.#readArguments(rest, events) : this.#readHead(rest, events)
    return events
  }

  /** Text that was held back because it could have begun a call. */
  flush(): string {
    return this.#phase === 'text' ? this.#trigger.flush() : ''
  }

  #readText(fragment: string, events: ToolEvent[]): string {
    this.#text += fragment
    const { text, stopped } = this.#trigger.add(fragment)
    if (text.length > 0) events.push({ type: 'text', text })
    if (!stopped) return ''
    this.#phase = 'head'
    return this.#text.slice(this.#text.indexOf(this.#format.trigger))
  }

  #readHead(fragment: string, events: ToolEvent[]): string {
    this.#head += fragment
    const match = head.exec(this.#head)
    if (match === null) return ''
    const rest = this.#head.slice(match.index + match[0].length)
    events.push({ type: 'call', index: this.#index, name: match[1] ?? '' })
    this.#phase = 'arguments'
    this.#head = ''
    this.#scanner = new JsonScanner()
    return rest
  }

  #readArguments(received: string, events: ToolEvent[]): string {
    const fragment = this.#scanner.depth === 0 ? received.trimStart() : received
    if (fragment.length === 0) return ''
    const count = this.#scanner.add(fragment)
    events.push({ type: 'arguments', index: this.#index, fragment: fragment.slice(0, count) })
    if (this.#scanner.open) return fragment.slice(count)
    this.#phase = 'head'
    this.#index++
    return fragment.slice(count)
  }
}
