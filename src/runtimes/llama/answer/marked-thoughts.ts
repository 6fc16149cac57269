import { longestBeginning } from '../../../core/text/longest-beginning.ts'
import type { Begun, ThoughtFormat } from '../prompt/thought-format.ts'
import type { ReadThoughts, ThoughtReader } from './thought-reader.ts'

type Marks = Pick<ThoughtFormat, 'open' | 'close' | 'answer'>

/** Thoughts in marks at the beginning of an answer, which may stand in marks of its own. */
export class MarkedThoughts implements ThoughtReader {
  readonly #marks: Marks
  #phase: 'opening' | 'thoughts' | 'gap' | 'text' | 'over'
  /** Whether the answer's own mark ends it, since thoughts or its mark stood before. */
  #framed: boolean
  #held = ''
  #begun = false
  /** Whether the answer's own mark has come. */
  #opened = false

  /** @param begun The part of the answer that the prompt has already opened. */
  constructor(marks: Marks, begun: Begun) {
    this.#marks = marks
    this.#phase = begun === null ? 'opening' : begun === 'answer' ? 'text' : 'thoughts'
    this.#framed = marks.answer.close !== '' && begun !== null
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
    if (this.#phase === 'over') return { thoughts: '', text: '' }
    if (this.#phase === 'text' && !this.#framed) return { thoughts: '', text: fragment }
    this.#held += fragment
    if (this.#phase === 'opening') this.#open()
    const thoughts = this.#phase === 'thoughts' ? this.#think() : ''
    return { thoughts, text: this.#answer() }
  }

  flush(): ReadThoughts {
    const held = this.#held
    this.#held = ''
    return this.#phase === 'thoughts' ? { thoughts: held.trimEnd(), text: '' } : { thoughts: '', text: held }
  }

  #open(): void {
    const { open, answer } = this.#marks
    const written = this.#held.trimStart()
    if (written.startsWith(open)) {
      this.#phase = 'thoughts'
      this.#held = written.slice(open.length)
    } else if (answer.open !== '' && written.startsWith(answer.open)) this.#phase = 'gap'
    else if (!open.startsWith(written) && (answer.open === '' || !answer.open.startsWith(written))) this.#phase = 'text'
  }

  /** Removes reasoning from the held text and returns it without surrounding line breaks. */
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
    if (this.#phase === 'gap') this.#begin()
    if (this.#phase !== 'text') return ''
    const { close } = this.#marks.answer
    const end = this.#framed ? this.#held.indexOf(close) : -1
    if (end !== -1) this.#phase = 'over'
    const safe = end !== -1 ? end : this.#held.length - (this.#framed ? longestBeginning(this.#held, [close]) : 0)
    const text = this.#held.slice(0, safe)
    this.#held = end !== -1 ? '' : this.#held.slice(safe)
    return text
  }

  /** Passes over the space between thoughts and answer, and the answer's own mark. */
  #begin(): void {
    const { open, close } = this.#marks.answer
    const written = this.#held.trimStart()
    this.#framed = close !== ''
    this.#held = written
    if (open !== '' && !this.#opened && written.startsWith(open)) {
      this.#opened = true
      this.#held = written.slice(open.length).trimStart()
    } else if (open !== '' && !this.#opened && open.startsWith(written)) return
    if (this.#held.length > 0) this.#phase = 'text'
  }
}
