import type { FieldFault } from '../../../core/error.ts'
import type { ChatMessage, SeenPart } from '../../../core/text-generation.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { findTooManyPictures, pictureFollows, readPicture } from '../chat/fields/picture-address.ts'
import type { ContentBlock, DocumentBlock, ImageBlock, MessageBody, ResultPart, SearchBlock, TextBlock } from './content-blocks.ts'

/** Finds blocks in turns of the wrong role. */
export function findTurnFaults(messages: readonly MessageBody[]): readonly FieldFault[] {
  return messages.flatMap(({ role, content }, index) => [
    ...findTooMany(content, index),
    ...blocksOf(content).flatMap((block, place): readonly FieldFault[] => {
      const path = ['messages', index, 'content', place]
      const owner = block.type === 'text' ? role : ownerOf(block.type)
      if (owner !== role) return [fieldFault(path, `is a ${block.type}, which belongs to ${owner} messages.`)]
      if (block.type !== 'tool_result') return findPictureFault(block, path)
      return blocksOf(block.content ?? '').flatMap((part, at) => findPictureFault(part, [...path, 'content', at]))
    }),
  ])
}

function findPictureFault(block: ContentBlock | ResultPart, path: FieldFault['path']): readonly FieldFault[] {
  if (block.type !== 'image' || readPicture(block.source.data, block.source.media_type) !== null) return []
  return [fieldFault([...path, 'source', 'data'], 'must be a PNG, JPEG, WebP or GIF file in base64.', 'format')]
}

function findTooMany(content: MessageBody['content'], index: number): readonly FieldFault[] {
  const shown = blocksOf<ContentBlock>(content).flatMap((block): readonly (ContentBlock | ResultPart)[] =>
    block.type === 'tool_result' ? blocksOf(block.content ?? '') : [block],
  )
  return findTooManyPictures(shown, 'image', ['messages', index, 'content'])
}

const ofUsers: readonly string[] = ['tool_result', 'document', 'search_result', 'image']

function ownerOf(type: ContentBlock['type']): 'user' | 'assistant' {
  return ofUsers.includes(type) ? 'user' : 'assistant'
}

/** Converts a conversation that {@link findTurnFaults} accepted. */
export function readMessages(system: string | readonly TextBlock[] | undefined, messages: readonly MessageBody[]): readonly ChatMessage[] {
  const systemText = system === undefined ? '' : joinTexts(blocksOf(system))
  return [...(systemText === '' ? [] : [{ role: 'system', content: systemText } as const]), ...messages.flatMap(readTurn)]
}

/** Whether the answer continues the last message. */
export function endsInBeginning(messages: readonly MessageBody[]): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return false
  const blocks = blocksOf(last.content)
  return joinTexts(blocks) !== '' && blocks.every(({ type }) => type !== 'tool_use')
}

function readTurn({ role, content }: MessageBody): readonly ChatMessage[] {
  const blocks = blocksOf(content)
  const text = joinTexts(blocks)
  if (role === 'system') return [{ role, content: text }]
  if (role === 'user') {
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [readResult(block)] : []))
    // Templates require results directly after their calls, before any other text, and take no pictures in them.
    const parts = seenParts(blocks)
    return [
      ...results,
      ...(results.length > 0 && text === '' && parts === null ? [] : [{ role, content: text, ...(parts && { parts }) } as const]),
    ]
  }
  const thoughts = blocks.flatMap((block) => (block.type === 'thinking' && block.thinking !== '' ? [block.thinking] : [])).join('\n')
  const toolCalls = blocks.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: writeInput(block.input) }] : [],
  )
  return [
    {
      role,
      content: text === '' && toolCalls.length > 0 ? null : text,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(thoughts !== '' && { thoughts }),
    },
  ]
}

/** The parts of a turn with pictures; null = only text. */
function seenParts(blocks: readonly ContentBlock[]): readonly SeenPart[] | null {
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? blocksOf(block.content ?? '').filter(isPicture) : []))
  if (results.length === 0 && !blocks.some(isPicture)) return null
  return [...results, ...blocks].flatMap((block): readonly SeenPart[] => {
    if (block.type === 'image') return [readPicture(block.source.data, block.source.media_type)].filter((part) => part !== null)
    return block.type === 'tool_result' ? [] : [{ type: 'text', text: joinTexts([block]) }]
  })
}

/** The arguments of a call as JSON text. */
function writeInput(input: string | object | undefined): string {
  return typeof input === 'string' && input.trim() !== '' ? input : JSON.stringify(typeof input === 'object' ? input : {})
}

function readResult({ tool_use_id, content = '', is_error }: Extract<ContentBlock, { type: 'tool_result' }>): ChatMessage {
  const blocks = blocksOf(content)
  const text = joinTexts(blocks) || (blocks.some(isPicture) ? pictureFollows : '')
  return { role: 'tool', content: is_error === true ? `Error: ${text}` : text, toolCallId: tool_use_id }
}

function blocksOf<Block extends { readonly type: string }>(content: string | readonly Block[]): readonly (Block | TextBlock)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** Joins text blocks with line breaks, as in chats; a document is its title and its text. */
function joinTexts(blocks: readonly { readonly type: string }[]): string {
  return blocks.flatMap(textsIn).join('\n')
}

function textsIn(block: { readonly type: string }): readonly string[] {
  if ('text' in block && typeof block.text === 'string') return [block.text]
  if ('tool_name' in block) return [`The tool ${String(block.tool_name)} is available.`]
  if (isSearchResult(block)) return [[block.title, block.source, joinTexts(block.content)].filter((part) => part !== '').join('\n')]
  return isDocument(block) ? [documentText(block)] : []
}

function isPicture(block: ContentBlock | ResultPart): block is ImageBlock {
  return block.type === 'image'
}

function isSearchResult(block: { readonly type: string }): block is SearchBlock {
  return block.type === 'search_result'
}

function isDocument(block: { readonly type: string }): block is DocumentBlock {
  return block.type === 'document'
}

function documentText({ title, context, source }: DocumentBlock): string {
  const text = source.type === 'text' ? source.data : joinTexts(blocksOf(source.content))
  return [title, context, text].filter((part) => part !== undefined && part !== '').join('\n')
}
