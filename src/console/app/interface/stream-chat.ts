import type { ChatBody } from '../../../http/wire/chat/chat-request.ts'
import { t } from '../language/t.ts'
import { readEventStream } from './event-stream.ts'
import { RequestFailure, send } from './request.ts'

export type ChatStreamPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thoughts'; readonly text: string }
  /** A piece of a function call; what was said of the same `index` before goes on. */
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'end'; readonly reason: string }
  | { readonly type: 'usage'; readonly promptTokens: number; readonly completionTokens: number }

interface Delta {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id?: string
    readonly function?: { readonly name?: string; readonly arguments?: string }
  }[]
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
  readonly error?: { readonly message: string; readonly code: string; readonly cause?: string }
}

/**
 * Asks for a chat completion and yields it as it is written.
 *
 * @throws {RequestFailure} before or in the middle of the answer.
 */
export async function* streamChat(body: ChatBody, signal: AbortSignal): AsyncGenerator<ChatStreamPart, void, undefined> {
  const response = await send('/v1/chat/completions', {
    method: 'POST',
    body: { ...body, stream: true, stream_options: { include_usage: true } },
    signal,
    waitsForWork: true,
  })
  const requestId = response.headers.get('x-request-id')
  for await (const { data } of readEventStream(response)) {
    if (data === '[DONE]') return
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error) throw new RequestFailure(500, chunk.error.code, chunk.error.message, requestId, chunk.error.cause)
    const choice = chunk.choices?.[0]
    yield* deltaParts(choice?.delta ?? {})
    if (choice?.finish_reason) yield { type: 'end', reason: choice.finish_reason }
    if (chunk.usage) yield { type: 'usage', promptTokens: chunk.usage.prompt_tokens, completionTokens: chunk.usage.completion_tokens }
  }
  throw new RequestFailure(0, 'cut_off', t`The answer broke off. Try again.`, requestId)
}

function deltaParts({ content, reasoning_content: thoughts, tool_calls: calls = [] }: Delta): readonly ChatStreamPart[] {
  return [
    ...(thoughts ? [{ type: 'thoughts' as const, text: thoughts }] : []),
    ...(content ? [{ type: 'text' as const, text: content }] : []),
    ...calls.map((call) => ({
      ...{ type: 'call' as const, index: call.index, id: call.id ?? '' },
      ...{ name: call.function?.name ?? '', arguments: call.function?.arguments ?? '' },
    })),
  ]
}
