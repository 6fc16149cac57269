import { thoughtMarks } from '../prompt/thought-marks.ts'

/** What a fragment of an answer adds to its thoughts, and to its text. */
export interface ReadThoughts {
  readonly thoughts: string
  readonly text: string
}

/** Tells the thoughts at the beginning of an answer from its text while both arrive in fragments. */
export class ThoughtReader {
  #phase: 'opening' | 'thoughts' | 'gap' | 'text'
  #held = ''
  #begun = false

  /** @param opened Whether the prompt has begun the thoughts. */
  constructor(opened: boolean) {
    this.#phase = opened ? 'thoughts' : 'opening'
  }

  /** Whether the text is still to come. */
  get thinking(): boolean {
    return this.#phase === 'thoughts' || this.#phase === 'gap'
  }

  /** Whether what comes next is a thought. */
  get inside(): boolean {
    return this.#phase === 'thoughts'
  }

  /** Characters that may still become a mark. */
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

  /** What was held back, once nothing more will come. */
  flush(): ReadThoughts {
    const held = this.#held
    this.#held = ''
    return this.#phase === 'thoughts' ? { thoughts: held.trimEnd(), text: '' } : { thoughts: '', text: this.#phase === 'gap' ? '' : held }
  }

  #open(): void {
    const written = this.#held.trimStart()
    if (written.startsWith(thoughtMarks.open)) {
      this.#phase = 'thoughts'
      this.#held = written.slice(thoughtMarks.open.length)
    } else if (!thoughtMarks.open.startsWith(written)) this.#phase = 'text'
  }

  /** Takes thoughts out of what is held, without the line breaks around them. */
  #think(): string {
    if (!this.#begun) this.#held = this.#held.trimStart()
    const end = this.#held.indexOf(thoughtMarks.close)
    if (end !== -1) this.#phase = 'gap'
    const safe = end === -1 ? this.#held.length - this.#undecided() : this.#held.slice(0, end).trimEnd().length
    const thoughts = this.#held.slice(0, safe)
    this.#held = this.#held.slice(end === -1 ? safe : end + thoughtMarks.close.length)
    this.#begun ||= thoughts.length > 0
    return thoughts
  }

  /** Length of the end that may begin the closing mark, with the space before it. */
  #undecided(): number {
    const { close } = thoughtMarks
    let mark = Math.min(close.length - 1, this.#held.length)
    while (mark > 0 && !this.#held.endsWith(close.slice(0, mark))) mark--
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
