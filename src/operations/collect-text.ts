import type { WrittenPart } from '../core/text/visible-text.ts'
import type { FinishReason, TextPart, TokenLogprob, TokenUsage, ToolCall, UnscoredToken } from '../core/text-generation.ts'

/** One complete choice. */
export interface TextChoice {
  readonly text: string
  /** Reasoning before the answer; empty = none. */
  readonly thoughts: string
  readonly toolCalls: readonly ToolCall[]
  readonly logprobs: readonly TokenLogprob[]
  /** Token ids; absent unless requested and reported by the runtime. */
  readonly tokens?: readonly number[]
  /** The token before those; absent = none. */
  readonly unscored?: UnscoredToken
  readonly reason: FinishReason
  /** The matched stop string; absent = none, or not reported by the runtime. */
  readonly stop?: string
  /** Parts of the request that were not followed; absent = none. */
  readonly warnings?: readonly string[]
}

/** The complete result of a text request. */
export interface TextResult {
  readonly choices: readonly TextChoice[]
  readonly usage: TokenUsage
  /** Positions of choices that a failure ended; absent = the request did not fail. */
  readonly unfinished?: readonly number[]
}

/** The shortest result: one choice without a text. */
export const emptyResult: TextResult = {
  choices: [{ text: '', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' }],
  usage: { promptTokens: 0, completionTokens: 0, cachedTokens: 0 },
}

interface Draft {
  text: string
  thoughts: string
  readonly toolCalls: { id: string; name: string; arguments: string }[]
  readonly logprobs: TokenLogprob[]
  tokens?: number[]
  unscored?: UnscoredToken
  reason: FinishReason
  stop?: string
  warnings?: readonly string[]
}

/** Warnings of all choices, without duplicates. */
export function warningsOf({ choices }: Pick<TextResult, 'choices'>): { readonly warnings?: readonly string[] } {
  const warnings = [...new Set(choices.flatMap((choice) => choice.warnings ?? []))]
  return warnings.length === 0 ? {} : { warnings }
}

/**
 * Collects a stream into complete choices; their text equals the concatenated stream.
 *
 * @param note Receives each part as it arrives.
 */
export async function collectText(parts: AsyncIterable<TextPart>, note: (part: TextPart) => void = () => {}): Promise<TextResult> {
  const gathered = new GatheredText()
  for await (const part of parts) {
    note(part)
    gathered.add(part)
  }
  return gathered.result()
}

/**
 * Passes a stream on and calls `keep` with the complete result before passing on its end, so that clients only see the end of stored
 * answers.
 *
 * @param keep If it throws, the stream fails.
 */
export async function* passText(
  parts: AsyncIterable<TextPart>,
  keep: (result: TextResult) => Promise<void>,
): AsyncGenerator<TextPart, void, undefined> {
  const gathered = new GatheredText()
  for await (const part of parts) {
    gathered.add(part)
    if (part.type === 'finish') await keep(gathered.result())
    yield part
  }
}

/** What a text request had written when it failed; null = nothing. */
export function collectWritten(parts: readonly WrittenPart[], usage: TokenUsage): TextResult | null {
  const gathered = new GatheredText()
  for (const part of parts) gathered.add(part)
  const { choices } = gathered.result()
  if (choices.every(({ text, thoughts, toolCalls }) => text === '' && thoughts === '' && toolCalls.length === 0)) return null
  const finished = new Set(parts.flatMap((part) => (part.type === 'choice-finish' ? [part.choice] : [])))
  return { choices, usage, unfinished: [...choices.keys()].filter((index) => !finished.has(index)) }
}

class GatheredText {
  readonly #drafts: Draft[] = []
  #usage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }

  add(part: TextPart): void {
    if (part.type === 'prompt') return
    if (part.type === 'finish') this.#usage = part.usage
    else {
      while (this.#drafts.length <= part.choice) this.#drafts.push({ text: '', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' })
      const draft = this.#drafts[part.choice]
      if (draft !== undefined) append(draft, part)
    }
  }

  result(): TextResult {
    return { choices: this.#drafts, usage: this.#usage }
  }
}

function append(draft: Draft, part: Exclude<TextPart, { type: 'prompt' | 'finish' }>): void {
  if (part.type === 'text') {
    draft.text += part.text
    for (const logprob of part.logprobs ?? []) draft.logprobs.push(logprob)
    if (part.tokens !== undefined) draft.tokens = [...(draft.tokens ?? []), ...part.tokens]
    if (part.unscored !== undefined) draft.unscored = part.unscored
  } else if (part.type === 'thoughts') draft.thoughts += part.text
  else if (part.type === 'tool-call') draft.toolCalls[part.index] = { id: part.id, name: part.name, arguments: '' }
  else if (part.type === 'choice-finish') {
    draft.reason = part.reason
    if (part.stop !== undefined) draft.stop = part.stop
    if (part.warnings !== undefined) draft.warnings = part.warnings
  } else {
    const call = draft.toolCalls[part.index]
    if (call !== undefined) call.arguments += part.fragment
  }
}
