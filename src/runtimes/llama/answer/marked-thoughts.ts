import type { ThoughtFormat } from '../prompt/thought-format.ts'
import { longestBeginning } from './longest-beginning.ts'
import type { ReadThoughts, ThoughtReader } from './thought-reader.ts'

/** Thoughts in marks at the beginning of an answer. */
export class MarkedThoughts implements ThoughtReader {
  readonly #marks: Pick<ThoughtFormat, 'open' | 'close'>
  #phase: 'opening' | 'thoughts' | 'gap' | 'text'
  #held = ''
  #begun = false

  /** @param opened Whether the prompt has begun the thoughts. */
  constructor(marks: Pick<ThoughtFormat, 'open' | 'close'>, opened: boolean) {
    this.#marks = marks
    this.#phase = opened ? 'thoughts' : 'opening'
  }

  get inside(): boolean {
    return this.#phase === 'thoughts'
  }

  get answering(): boolean {
    return !this.inside
  }

  get held(): number {
    return this.#held.length
  }

  add(fragment: string): ReadThoughts {
    if (this.#phase === 'text') return { thoughts: '', text: fragment }
    this.#held += fragment
    if (this.#phase === 'opening') this.#open()
    const thoughts = this.#phase === 'thoughts' ? this.#think() : ''
    return { thoughts, text: this.#answer() }
  }

  flush(): ReadThoughts {
    const held = this.#held
    this.#held = ''
    return this.#phase === 'thoughts' ? { thoughts: held.trimEnd(), text: '' } : { thoughts: '', text: this.#phase === 'gap' ? '' : held }
  }

  #open(): void {
    const { open } = this.#marks
    const written = this.#held.trimStart()
    if (written.startsWith(open)) {
      this.#phase = 'thoughts'
      this.#held = written.slice(open.length)
    } else if (!open.startsWith(written)) this.#phase = 'text'
  }

  /** Takes thoughts out of what is held, without the line breaks around them. */
  #think(): string {
    const { close } = this.#marks
    if (!this.#begun) this.#held = this.#held.trimStart()
    const end = this.#held.indexOf(close)
    if (end !== -1) this.#phase = 'gap'
    const safe = end === -1 ? this.#held.length - this.#undecided() : this.#held.slice(0, end).trimEnd().length
    const thoughts = this.#held.slice(0, safe)
    this.#held = this.#held.slice(end === -1 ? safe : end + close.length)
    this.#begun ||= thoughts.length > 0
    return thoughts
  }

  /** Length of the end that may begin the closing mark, with the space before it. */
  #undecided(): number {
    const mark = longestBeginning(this.#held, [this.#marks.close])
    return this.#held.length - this.#held.slice(0, this.#held.length - mark).trimEnd().length
  }

  #answer(): string {
    if (this.#phase === 'gap') {
      this.#held = this.#held.trimStart()
      if (this.#held.length > 0) this.#phase = 'text'
    }
    if (this.#phase !== 'text') return ''
    const text = this.#held
    this.#held = ''
    return text
  }
}
