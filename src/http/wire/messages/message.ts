import { createHash } from 'node:crypto'
import { parseRecord } from '../../../core/json-value.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { FinishReason, TokenUsage } from '../../../core/text-generation.ts'
import { type TextChoice, type TextResult, warningsOf } from '../../../operations/collect-text.ts'
import { type Answer, newId } from '../answer.ts'
import type { messageAnswerSchema, messageUsageSchema } from './message-answers.ts'

type Message = Answer<typeof messageAnswerSchema>
type Block = Message['content'][number]

/** The fields that an answer and its stream share. */
export interface MessageHead {
  /** `msg_` and 32 hex digits. */
  readonly id: string
  readonly model: string
}

/** A head with a new id. */
export function startMessage(model: string): MessageHead {
  return { id: newId('msg_'), model }
}

/** An answer without content yet. */
export function emptyMessage({ id, model }: MessageHead, usage: TokenUsage): Message {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: encodeMessageUsage(usage),
  }
}

/** The answer of POST /v1/messages that is not streamed. */
export function encodeMessage(head: MessageHead, { choices, usage }: TextResult, { thoughts }: { readonly thoughts: boolean }): Message {
  const [choice] = choices
  if (choice === undefined) throw new TypeError('A model ended without an answer')
  return {
    ...emptyMessage(head, usage),
    content: encodeBlocks(thoughts ? choice : { ...choice, thoughts: '' }),
    stop_reason: stopReason(choice),
    stop_sequence: choice.stop ?? null,
    ...warningsOf({ choices }),
  }
}

/** The stop reason of an answer in Anthropic's format. */
export function stopReason({
  reason,
  stop,
}: {
  readonly reason: FinishReason
  readonly stop?: string
}): Exclude<Message['stop_reason'], null> {
  return reason === 'stop' && stop !== undefined ? 'stop_sequence' : finishWords[reason].anthropic
}

/** Token counts; cached tokens are not counted twice. */
export function encodeMessageUsage({ promptTokens, completionTokens, cachedTokens }: TokenUsage): Answer<typeof messageUsageSchema> {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  }
}

/** The signature that clients keep with reasoning and send back. It has no meaning here. */
export function signThoughts(thoughts: string): string {
  return createHash('sha256').update(thoughts).digest('base64')
}

/** The id of a call in the format that these clients expect. */
export function callId(id: string): string {
  return `toolu_${id}`
}

function encodeBlocks({ thoughts, text, toolCalls, reason }: TextChoice): readonly Block[] {
  const calls = toolCalls.flatMap((call): readonly Block[] => {
    const input = parseRecord(call.arguments)
    // A call that the limit cut off is dropped.
    return input === null && reason === 'length' ? [] : [{ type: 'tool_use', id: callId(call.id), name: call.name, input: input ?? {} }]
  })
  return [
    ...(thoughts === '' ? [] : [{ type: 'thinking', thinking: thoughts, signature: signThoughts(thoughts) } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls,
  ]
}
