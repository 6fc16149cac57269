import { longestBeginning } from '../../../core/text/longest-beginning.ts'
import { harmonyFormat, hermes, openCall } from '../prompt/tool-format.ts'
import type { ReadThoughts, ThoughtReader } from './thought-reader.ts'

const [start, message, end] = ['<|start|>', '<|message|>', '<|end|>']
/** Possible starts of a header; the prompt contains `<|start|>assistant` of the first. */
const headers = [start, '<|channel|>', 'to=']

const { mark: callMark } = harmonyFormat

type Body = 'thoughts' | 'text' | 'call'

/**
 * An answer in harmony, the notation of gpt-oss: messages, each with a header that names its channel, `<|channel|>analysis<|message|>…<|end|>`. What is for the
 * user is text; a call (`<|channel|>commentary to=functions.add <|constrain|>json<|message|>{}`) becomes text in Hermes's notation, which tool calls are read from.
 *
 * @see https://cookbook.openai.com/articles/openai-harmony
 */
export class ChannelThoughts implements ThoughtReader {
  readonly #calls: boolean
  #body: Body | null
  #held = ''
  /** Whether reasoning and text already have content. */
  readonly #written = { thoughts: false, text: false }
  #separates = false

  /**
   * @param answers Whether the prompt has already opened a message for the user.
   * @param calls Whether tool calls are expected; otherwise they count as reasoning.
   */
  constructor({ answers, calls }: { readonly answers: boolean; readonly calls: boolean }) {
    this.#body = answers ? 'text' : null
    this.#calls = calls
  }

  get inside(): boolean {
    return this.#body === 'thoughts'
  }

  get answering(): boolean {
    return this.#body === 'text'
  }

  get callHead(): string | null {
    const head = this.#held.trimStart()
    return this.#body === null && this.#calls && head.startsWith(callMark) ? head : null
  }

  get held(): number {
    return this.#held.length
  }

  add(fragment: string): ReadThoughts {
    this.#held += fragment
    const read = { thoughts: '', text: '' }
    while (this.#body === null ? this.#readHeader(read) : this.#readBody(this.#body, read));
    return read
  }

  flush(): ReadThoughts {
    const read = { thoughts: '', text: '' }
    if (this.#body !== null) this.#write(this.#body, this.#held, read)
    this.#held = ''
    return read
  }

  /** Whether a header was read, so that something may follow. */
  #readHeader(read: { text: string }): boolean {
    const written = this.#held.trimStart()
    if (!headers.some((header) => header.startsWith(written) || written.startsWith(header))) {
      this.#begin('text') // a model that was made to write without headers, as by a grammar
      return true
    }
    const at = written.indexOf(message)
    if (at === -1) return false
    const header = written.slice(0, at)
    const [, recipient] = /\bto=([^\s<]+)/.exec(header) ?? []
    const [, channel] = /<\|channel\|>(\w+)/.exec(header) ?? []
    this.#held = written.slice(at + message.length)
    const name = recipient?.startsWith('functions.') ? recipient.slice('functions.'.length) : null
    if (name !== null && this.#calls) {
      read.text += openCall(hermes, name)
      this.#begin('call')
    } else this.#begin(recipient !== undefined || channel === 'analysis' ? 'thoughts' : 'text')
    return true
  }

  #begin(body: Body): void {
    this.#body = body
    this.#separates = body !== 'call' && this.#written[body]
  }

  /** Whether a message has ended, so that another may follow. */
  #readBody(body: Body, read: { thoughts: string; text: string }): boolean {
    const ends = [this.#held.indexOf(end), this.#held.indexOf(start)].filter((at) => at !== -1)
    if (ends.length === 0) {
      const safe = this.#held.length - longestBeginning(this.#held, [end, start])
      this.#write(body, this.#held.slice(0, safe), read)
      this.#held = this.#held.slice(safe)
      return false
    }
    const at = Math.min(...ends)
    this.#write(body, this.#held.slice(0, at), read)
    this.#held = this.#held.slice(at + (this.#held.startsWith(end, at) ? end.length : 0))
    this.#body = null
    return true
  }

  #write(body: Body, text: string, read: { thoughts: string; text: string }): void {
    if (text === '') return
    const into = body === 'call' ? 'text' : body
    read[into] += (this.#separates ? '\n\n' : '') + text
    this.#separates = false
    if (body !== 'call') this.#written[body] = true
  }
}
