import type { FieldFault } from '../../../core/error.ts'
import type { ChatMessage, SeenPart, ToolCall } from '../../../core/text-generation.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { CallArguments } from '../chat/call-arguments.ts'
import { findAddressFault, findTooManyPictures, pictureFollows, readAddress } from '../chat/fields/picture-address.ts'
import type { FunctionCallItem, InputItem, MessageItem, OutputItem, ReasoningItem } from './input-items.ts'
import { joinName } from './response-tools.ts'
import { unpack } from './tool-history.ts'

/** Finds faults that the schema cannot express: outputs without a call, and invalid arguments. @param earlier Items that come before. */
export function findItemFaults(items: readonly InputItem[], earlier: readonly InputItem[]): readonly FieldFault[] {
  const calls = new Set(earlier.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])))
  const callArguments = new CallArguments()
  return items.flatMap((item, index): readonly FieldFault[] => {
    if (item.type === 'function_call') {
      calls.add(item.call_id)
      return callArguments.tooLong ? [] : callArguments.check(item.arguments, ['input', index, 'arguments'])
    }
    if (item.type === undefined || item.type === 'message') return findPictureFaults(item.content, ['input', index, 'content'], item.role)
    if (item.type !== 'function_call_output') return []
    if (calls.has(item.call_id)) return findPictureFaults(item.output, ['input', index, 'output'])
    return [fieldFault(['input', index, 'call_id'], 'must be the call_id of an earlier function_call.')]
  })
}

type Part = Exclude<PartedContent, string>[number]
type PartedContent = MessageItem['content'] | OutputItem['output']

/** Finds pictures in the wrong place, too many of them, and addresses that are not data addresses. */
function findPictureFaults(content: PartedContent, path: FieldFault['path'], role = 'user'): readonly FieldFault[] {
  if (typeof content === 'string') return []
  const faults: FieldFault[] = []
  for (const [index, part] of content.entries()) {
    if (part.type !== 'input_image') continue
    const place = [...path, index]
    if (role !== 'user') faults.push(fieldFault(place, 'must be text: images belong to user messages.'))
    const fault = findAddressFault(part.image_url)
    if (fault !== null) faults.push(fieldFault([...place, 'image_url'], fault))
  }
  return [...faults, ...findTooManyPictures(content, 'input_image', path)]
}

/** Converts items to messages: the reasoning, text and calls of one assistant turn become one message. */
export function readItems(instructions: string | undefined, items: readonly InputItem[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = instructions === undefined ? [] : [{ role: 'system', content: instructions }]
  let turn: Turn | null = null
  /** Pictures of results, which stand behind all results of a turn. */
  const shown: SeenPart[] = []
  const close = (): void => {
    if (turn !== null && (turn.content !== null || turn.toolCalls.length > 0)) messages.push(readTurn(turn))
    turn = null
  }
  const show = (): void => {
    if (shown.length > 0) messages.push({ role: 'user', content: '', parts: shown.splice(0) })
  }
  const open = (): Turn => {
    turn ??= { thoughts: '', content: null, toolCalls: [] }
    return turn
  }
  for (const item of items) {
    if (item.type !== 'function_call_output' && !('role' in item && item.role === 'user')) show()
    if (item.type === 'reasoning') {
      if (turn !== null) close()
      open().thoughts = readThoughts(item)
    } else if (item.type === 'function_call') open().toolCalls.push(readCall(item))
    else if (item.type === 'function_call_output') {
      close()
      const pictures = seenParts(item.output)?.filter(({ type }) => type === 'picture') ?? []
      shown.push(...pictures)
      const content = textOf(item.output) || (pictures.length > 0 ? pictureFollows : '')
      messages.push({ role: 'tool', toolCallId: item.call_id, content })
    } else if (item.role === 'assistant') {
      if (open().content !== null || open().toolCalls.length > 0) close()
      open().content = textOf(item.content)
    } else {
      close()
      const role = item.role === 'user' ? 'user' : 'system'
      const content = textOf(item.content)
      const own = seenParts(item.content) ?? (shown.length > 0 ? [{ type: 'text' as const, text: content }] : null)
      const parts = own && [...shown.splice(0), ...own]
      messages.push({ role, content, ...(parts !== null && { parts }) })
    }
  }
  close()
  show()
  return joinLeadingSystem(messages)
}

interface Turn {
  thoughts: string
  content: string | null
  readonly toolCalls: ToolCall[]
}

function readTurn({ thoughts, content, toolCalls }: Turn): ChatMessage {
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }), ...(thoughts !== '' && { thoughts }) }
}

function readCall({ call_id, name, namespace, arguments: text }: FunctionCallItem): ToolCall {
  return { id: call_id, name: joinName(namespace, name), arguments: text }
}

/** The reasoning of an item, plain or packed by this service. Content encrypted by others is ignored. */
function readThoughts({ content = [], encrypted_content }: ReasoningItem): string {
  const shown = content.map(({ text }) => text).join('\n')
  return shown || (unpack('thoughts', encrypted_content) ?? '')
}

/** Joins parts with line breaks, as in chats. */
function textOf(content: PartedContent): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'input_image' ? [] : [part.type === 'refusal' ? part.refusal : part.text])).join('\n')
}

/** Characters of the pictures in items, which do not take up the context as text. */
export function pictureCharacters(items: string | readonly InputItem[]): number {
  if (typeof items === 'string') return 0
  const contents = items.flatMap((item): readonly Part[] => {
    const content = 'role' in item ? item.content : item.type === 'function_call_output' ? item.output : []
    return typeof content === 'string' ? [] : content
  })
  return contents.reduce((sum, part) => sum + (part.type === 'input_image' ? part.image_url.length : 0), 0)
}

/** The parts of a message with pictures; null = only text. */
function seenParts(content: PartedContent): readonly SeenPart[] | null {
  if (typeof content === 'string' || content.every(({ type }) => type !== 'input_image')) return null
  return content.flatMap((part): readonly SeenPart[] => {
    const picture = part.type === 'input_image' ? readAddress(part.image_url, part.detail) : null
    if (picture !== null || part.type === 'input_image') return picture === null ? [] : [picture]
    return [{ type: 'text', text: part.type === 'refusal' ? part.refusal : part.text }]
  })
}

/** Some templates accept a single system message, and only at the beginning. */
function joinLeadingSystem(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const leading = first === -1 ? messages.length : first
  if (leading < 2) return messages
  const content = messages.slice(0, leading).map((message) => message.content)
  return [{ role: 'system', content: content.join('\n\n') }, ...messages.slice(leading)]
}
