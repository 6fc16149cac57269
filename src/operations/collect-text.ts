import type { FinishReason, TextPart, TokenLogprob, TokenUsage, ToolCall, UnscoredToken } from '../core/text-generation.ts'

/** One finished choice, whole. */
export interface TextChoice {
  readonly text: string
  /** What the model thought before it answered; empty when it did not. */
  readonly thoughts: string
  readonly toolCalls: readonly ToolCall[]
  readonly logprobs: readonly TokenLogprob[]
  /** Ids of its tokens; absent unless they were asked for and the runtime tells. */
  readonly tokens?: readonly number[]
  /** The token before those; absent = there is none. */
  readonly unscored?: UnscoredToken
  readonly reason: FinishReason
  /** The stop string that ended it; absent = none did, or the runtime does not report it. */
  readonly stop?: string
  /** What of the request was not followed; absent = all of it was. */
  readonly warnings?: readonly string[]
}

/** Everything a text model said to one request. */
export interface TextResult {
  readonly choices: readonly TextChoice[]
  readonly usage: TokenUsage
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

/** What of a request was not followed in any of its answers. */
export function warningsOf({ choices }: Pick<TextResult, 'choices'>): { readonly warnings?: readonly string[] } {
  const warnings = [...new Set(choices.flatMap((choice) => choice.warnings ?? []))]
  return warnings.length === 0 ? {} : { warnings }
}

/**
 * Gathers a generation into whole choices; the text equals the concatenated stream.
 *
 * @param note Receives each part as it comes.
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
 * Passes a generation on and hands it over whole before its end is passed on, so that nobody hears of an end that was not kept.
 *
 * @param keep Called with the whole; what it throws ends the generation.
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

class GatheredText {
  readonly #drafts: Draft[] = []
  #usage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }

  add(part: TextPart): void {
    if (part.type === 'prompt') return
    if (part.type === 'finish') this.#usage = part.usage
    else {
      const draft = this.#drafts[part.choice] ?? { text: '', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' }
      this.#drafts[part.choice] = draft
      append(draft, part)
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
