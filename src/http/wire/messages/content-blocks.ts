import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { unreadable } from '../chat/content-parts.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { ignoredFields } from '../ignored-fields.ts'

/** The id of a call, in any server's format. */
const id = Type.String({ minLength: 1, maxLength: 4096 })

/** Cache markers have no effect: prompts are cached automatically. */
const marks = { cache_control: Type.Optional(jsonObject), ...ignoredFields('parsed_output', 'extra_content', 'provider_specific_fields') }

const textBlock = closed({
  type: Type.Literal('text'),
  text: Type.String(),
  /** Sources of an earlier answer; models read its text. */
  citations: Type.Optional(Type.Array(jsonObject)),
  ...marks,
})
const thinkingBlock = closed({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Type.Optional(Type.String()),
  ...marks,
})
const redactedBlock = closed({ type: Type.Literal('redacted_thinking'), data: Type.String(), ...marks })
const callBlock = closed({
  type: Type.Literal('tool_use'),
  id,
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  /** Some clients send the object as text, or an empty text. */
  input: Type.Optional(Type.Union([jsonObject, Type.String()])),
  ...ignoredFields('caller', 'toolset_name'),
  ...marks,
})
const plainSource = closed({ type: Type.Literal('text'), media_type: Type.Literal('text/plain'), data: Type.String() })
const partsSource = closed({ type: Type.Literal('content'), content: Type.Union([Type.String(), Type.Array(textBlock)]) })
const documentBlock = closed({
  type: Type.Literal('document'),
  source: Type.Union([plainSource, partsSource]),
  ...optional({
    title: Type.String(),
    context: Type.String(),
    citations: closed({ enabled: Type.Optional(Type.Literal(false)) }),
  }),
  ...marks,
})
const pictureSource = closed({
  type: Type.Literal('base64'),
  media_type: Type.String({ maxLength: 128, description: '`image/png`, `image/jpeg`, `image/webp` or `image/gif`; the bytes decide.' }),
  data: Type.String({
    description: 'The image in base64; with `fetch-pictures`, `{"type": "url", "url": "https://…"}` is a source too.',
  }),
})
const imageBlock = closed({ type: Type.Literal('image'), source: pictureSource, ...marks })
const searchBlock = closed({
  type: Type.Literal('search_result'),
  source: Type.String(),
  title: Type.String(),
  content: Type.Array(textBlock),
  citations: documentBlock.properties.citations,
  ...marks,
})
/** A tool that a client's search has found. Models here see every tool from the start. */
const toolReference = closed({ type: Type.Literal('tool_reference'), tool_name: Type.String({ maxLength: 1024 }), ...marks })
const resultBlock = closed({
  type: Type.Literal('tool_result'),
  tool_use_id: id,
  content: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.Union([textBlock, documentBlock, searchBlock, toolReference, imageBlock]))]),
  ),
  is_error: Type.Optional(Type.Boolean()),
  ...ignoredFields('toolset_name'),
  ...marks,
})

/** The content of a system prompt. */
export const systemField = Type.Optional(
  Type.Union([Type.String(), Type.Array(textBlock)], { description: 'Instructions for the model before the conversation.' }),
)

/** One turn of a conversation in Anthropic's format. */
export const messageSchema = closed({
  role: Type.Enum(['user', 'assistant', 'system'], { description: '`system`: instructions in the middle of a conversation.' }),
  content: Type.Union(
    [
      Type.String(),
      Type.Array(Type.Union([textBlock, thinkingBlock, redactedBlock, callBlock, resultBlock, documentBlock, searchBlock, imageBlock])),
    ],
    {
      description:
        'Text, or blocks: text, image (for models that read images), document (of plain text), search_result, thinking, redacted_thinking, tool_use, tool_result (of text, images, documents and search results). In earlier answers, calls and results of server tools, which models read as text: server_tool_use, mcp_tool_use, web_search_tool_result and similar.',
    },
  ),
})

export type MessageBody = Static<typeof messageSchema>
export type ContentBlock = Exclude<MessageBody['content'], string>[number]
export type TextBlock = Static<typeof textBlock>
export type ImageBlock = Static<typeof imageBlock>
export type DocumentBlock = Static<typeof documentBlock>
export type SearchBlock = Static<typeof searchBlock>
export type ResultPart = Exclude<NonNullable<Static<typeof resultBlock>['content']>, string>[number]

const inResults: readonly unknown[] = ['text', 'image', 'document', 'search_result', 'tool_reference']
const known: readonly unknown[] = ['text', 'image', 'document', 'search_result', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result']

/** Finds blocks that models here cannot read: pictures by address, documents, and results of Anthropic's server tools. */
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
    if (block.type === 'tool_result') return findForeign(block.content, [...place, 'content'], inResults)
    const kind = block.type
    if (typeof kind !== 'string' || (kinds.includes(kind) && !isForeignSource(block))) return []
    return [unreadable(place, kind, kind === 'image' ? 'images in base64' : 'text')]
  })
}

/** Whether a source cannot be read: a PDF, or an address. */
function isForeignSource({ type, source }: Readonly<Record<string, unknown>>): boolean {
  if (type === 'image') return !isRecord(source) || source.type !== 'base64'
  return type === 'document' && isRecord(source) && source.type !== 'text' && source.type !== 'content'
}
