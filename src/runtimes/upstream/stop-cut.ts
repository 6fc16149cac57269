import { StopMatcher } from '../../core/text/stop-matcher.ts'
import { WholeCharacters } from '../../core/text/whole-characters.ts'
import type { EndingRules, TextPart, TextRequest } from '../../core/text-generation.ts'
import type { DecodedPart } from './data-lines.ts'
import { TokenBound } from './token-bound.ts'

/** What of a request limits the answer. */
export type BoundedRequest = Pick<TextRequest, 'input' | 'maxTokens' | 'choices' | 'stop' | 'ending'>

type Text = Extract<TextPart, { readonly type: 'text' }>

/**
 * Ends an answer where its request says: at its limit of tokens, and each choice's text at its first stop string, also from a server that ignores them. The reader stops
 * at the `finish`, which cancels the request on the server. Reasoning, tool calls and an echoed prompt are not searched.
 */
export class StopCut {
  readonly #bound: TokenBound
  readonly #characters = new WholeCharacters()
  /** Empty if no stop strings apply. */
  readonly #texts: readonly ChoiceText[]

  /** @param onUncounted Called if the server's own counts are missing at the end. */
  constructor(request: BoundedRequest, hooks: { readonly onUncounted?: (() => void) | undefined } = {}) {
    const { input, stop, choices, ending = { includeStop: false, minTokens: 0 } } = request
    this.#bound = new TokenBound(request, hooks)
    const echo = input.type === 'prompt' && input.echo ? input : null
    // Where an echoed prompt of tokens ends in the text is unknown.
    const isSearched = stop.length > 0 && echo?.tokens === undefined
    this.#texts = isSearched ? Array.from({ length: choices }, () => new ChoiceText(stop, { ...ending, echo: echo?.prompt ?? '' })) : []
  }

  /** Returns the parts to pass on for the next part; a `finish` is the last. */
  pass(part: DecodedPart): readonly TextPart[] {
    const isPlain = this.#characters.isPlain(part)
    const passed = this.#bound.pass(part)
    const bounded = isPlain ? passed : passed.flatMap((each) => this.#characters.pass(each))
    return this.#texts.length === 0 ? bounded : bounded.flatMap((each) => this.#cut(each))
  }

  #cut(part: TextPart): readonly TextPart[] {
    if (!('choice' in part)) return [part]
    const { choice } = part
    const text = this.#texts[choice]
    if (text === undefined) return [part]
    if (text.found !== null) return []
    if (part.type !== 'text') return [...text.flush(), part]
    const shown = text.add(part, this.#bound.written(choice))
    if (text.found === null) return shown
    return [...shown, ...this.#bound.end({ choice, reason: 'stop', stop: text.found }, { awaitsCounts: text.endsAtStop })]
  }
}

/** The text of a choice up to its stop string, in the server's pieces. */
class ChoiceText {
  readonly #matcher: StopMatcher
  readonly #minTokens: number
  /** What may still come of the echoed prompt. */
  #echo: string
  #echoedTokens = 0
  #held: Text[] = []

  constructor(stops: readonly string[], rules: Pick<EndingRules, 'includeStop' | 'minTokens'> & { readonly echo: string }) {
    this.#matcher = new StopMatcher(stops, rules)
    this.#minTokens = rules.minTokens
    this.#echo = rules.echo
  }

  get found(): string | null {
    return this.#matcher.found
  }

  /** Whether no text follows the stop string that was found. */
  get endsAtStop(): boolean {
    const rest = this.#held.map(({ text }) => text).join('')
    return rest === '' || rest === this.found
  }

  /** The pieces that are safe to show. @param written Tokens so far, with this piece. */
  add(part: Text, written: number): readonly Text[] {
    const echoed = this.#echo.startsWith(part.text) ? part.text.length : part.text.startsWith(this.#echo) ? this.#echo.length : 0
    this.#echo = echoed === part.text.length ? this.#echo.slice(echoed) : ''
    if (echoed > 0 && echoed === part.text.length) {
      this.#echoedTokens = written
      return [part]
    }
    if (written - this.#echoedTokens < this.#minTokens) return [part]
    const [head, tail] = split(part, echoed)
    this.#held.push(tail)
    return [...(echoed > 0 ? [head] : []), ...this.#take(this.#matcher.add(tail.text).text.length)]
  }

  /** The pieces held back, when no stop string can follow. */
  flush(): readonly Text[] {
    this.#matcher.flush()
    return this.#held.splice(0)
  }

  #take(length: number): readonly Text[] {
    const shown: Text[] = []
    let room = length
    for (let next = this.#held[0]; next !== undefined && next.text.length <= room; next = this.#held[0]) {
      shown.push(next)
      room -= next.text.length
      this.#held.shift()
    }
    const [first] = this.#held
    if (first === undefined || room === 0) return shown
    const [head, tail] = split(first, room)
    this.#held[0] = tail
    return [...shown, head]
  }
}

/** A text in two, each with the scores of the tokens that end in it. */
function split(part: Text, at: number): readonly [Text, Text] {
  if (at === 0) return [{ type: 'text', choice: part.choice, text: '' }, part]
  let characters = 0
  const ends = (part.logprobs ?? []).map(({ token }) => (characters += token.length))
  const tokens = ends.filter((end) => end <= at).length
  const { logprobs, unscored, choice } = part
  const scores = (from: number, to?: number) => (logprobs === undefined ? {} : { logprobs: logprobs.slice(from, to) })
  return [
    { type: 'text', choice, text: part.text.slice(0, at), ...scores(0, tokens), ...(unscored && { unscored }) },
    { type: 'text', choice, text: part.text.slice(at), ...scores(tokens) },
  ]
}
