/** A part of a chat model's answer. */
export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thoughts'; readonly text: string }
  /** A piece of a function call, which continues the call with the same `index`. */
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'end'; readonly reason: string }
  | { readonly type: 'usage'; readonly promptTokens: number; readonly completionTokens: number }

interface Said {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly {
    readonly index?: number
    readonly id?: string
    readonly function?: { readonly name?: string; readonly arguments?: string }
  }[]
}

/** A chunk of a stream, or a whole chat completion. */
export interface ChatChunk {
  readonly choices?: readonly { readonly delta?: Said; readonly message?: Said; readonly finish_reason?: string | null }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
}

/** The parts in a chunk, or in a whole answer. */
export function partsOf({ choices, usage }: ChatChunk): readonly ChatPart[] {
  const choice = choices?.[0]
  const { content, reasoning_content: thoughts, tool_calls: calls = [] } = choice?.delta ?? choice?.message ?? {}
  return [
    ...(thoughts ? [{ type: 'thoughts' as const, text: thoughts }] : []),
    ...(content ? [{ type: 'text' as const, text: content }] : []),
    ...calls.map((call, index) => ({
      ...{ type: 'call' as const, index: call.index ?? index, id: call.id ?? '' },
      ...{ name: call.function?.name ?? '', arguments: call.function?.arguments ?? '' },
    })),
    ...(choice?.finish_reason ? [{ type: 'end' as const, reason: choice.finish_reason }] : []),
    ...(usage ? [{ type: 'usage' as const, promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens }] : []),
  ]
}
