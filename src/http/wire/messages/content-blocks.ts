import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/is-record.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { printPath } from '../faults/print-path.ts'

const id = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' })

/** Prompts are kept warm by themselves, so that marks of what to keep change nothing. */
const marks = { cache_control: Type.Optional(jsonObject) }

const closed = { additionalProperties: false }

const textBlock = Type.Object(
  { type: Type.Literal('text'), text: Type.String(), citations: Type.Optional(Type.Array(jsonObject, { maxItems: 0 })), ...marks },
  closed,
)
const thinkingBlock = Type.Object(
  { type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.Optional(Type.String()) },
  closed,
)
const redactedBlock = Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }, closed)
const callBlock = Type.Object(
  { type: Type.Literal('tool_use'), id, name: Type.String({ minLength: 1, maxLength: 128 }), input: jsonObject, ...marks },
  closed,
)
const resultBlock = Type.Object(
  {
    type: Type.Literal('tool_result'),
    tool_use_id: id,
    content: Type.Optional(Type.Union([Type.String(), Type.Array(textBlock)])),
    is_error: Type.Optional(Type.Boolean()),
    ...marks,
  },
  closed,
)

/** What a system prompt may be made of. */
export const systemField = Type.Optional(
  Type.Union([Type.String(), Type.Array(textBlock)], { description: 'What the model is told before the conversation.' }),
)

/** One turn of a conversation, in Anthropic's words. */
export const messageSchema = Type.Object(
  {
    role: Type.Enum(['user', 'assistant', 'system'], { description: '`system`: told in the middle of a conversation.' }),
    content: Type.Union([Type.String(), Type.Array(Type.Union([textBlock, thinkingBlock, redactedBlock, callBlock, resultBlock]))], {
      description: 'Text, or blocks: text, thinking, redacted_thinking, tool_use, tool_result.',
    }),
  },
  closed,
)

export type MessageBody = Static<typeof messageSchema>
export type ContentBlock = Exclude<MessageBody['content'], string>[number]
export type TextBlock = Static<typeof textBlock>

const known: readonly unknown[] = ['text', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result']

/** Blocks that no model here reads, each by its name: pictures, documents, and what tools of Anthropic's own servers left. */
export function findForeignBlocks(messages: unknown): readonly FieldFault[] {
  if (!Array.isArray(messages)) return []
  return messages.flatMap((message: unknown, index) =>
    isRecord(message) ? findForeign(message.content, ['messages', index, 'content'], known) : [],
  )
}

function findForeign(content: unknown, path: FieldFault['path'], kinds: readonly unknown[]): readonly FieldFault[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown, index): readonly FieldFault[] => {
    if (!isRecord(block)) return []
    const place = [...path, index]
    if (block.type === 'tool_result') return findForeign(block.content, [...place, 'content'], ['text'])
    const kind = block.type
    if (typeof kind !== 'string' || kinds.includes(kind)) return []
    const message = `\`${printPath(place)}\` is of the type ${shortName(kind)}, which models here cannot read: send text.`
    return [{ path: place, message, kind: 'unsupported_parameter' }]
  })
}
