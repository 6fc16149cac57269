import type { FieldFault } from '../../../core/error.ts'
import type { ChatMessage, ToolCall } from '../../../core/text-generation.ts'
import { CallArguments } from '../chat/call-arguments.ts'
import type { FunctionCallItem, InputItem, MessageItem, ReasoningItem } from './input-items.ts'
import { joinName } from './response-tools.ts'

/** Finds what the schema cannot say: that outputs answer a call, and what arguments may hold. @param earlier Items that come before. */
export function findItemFaults(items: readonly InputItem[], earlier: readonly InputItem[]): readonly FieldFault[] {
  const calls = new Set(earlier.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])))
  const callArguments = new CallArguments()
  return items.flatMap((item, index): readonly FieldFault[] => {
    if (item.type === 'function_call') {
      calls.add(item.call_id)
      return callArguments.tooLong ? [] : callArguments.check(item.arguments, ['input', index, 'arguments'])
    }
    if (item.type !== 'function_call_output' || calls.has(item.call_id)) return []
    const message = `\`input[${index}].call_id\` must be the call_id of an earlier function_call.`
    return [{ path: ['input', index, 'call_id'], message, kind: 'conflict' }]
  })
}

/** Items in the words of the domain: what an assistant thought, said and called in one turn is one message. */
export function readItems(instructions: string | undefined, items: readonly InputItem[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = instructions === undefined ? [] : [{ role: 'system', content: instructions }]
  let turn: Turn | null = null
  const close = (): void => {
    if (turn !== null && (turn.content !== null || turn.toolCalls.length > 0)) messages.push(readTurn(turn))
    turn = null
  }
  const open = (): Turn => {
    turn ??= { thoughts: '', content: null, toolCalls: [] }
    return turn
  }
  for (const item of items) {
    if (item.type === 'reasoning') {
      if (turn !== null) close()
      open().thoughts = readThoughts(item)
    } else if (item.type === 'function_call') open().toolCalls.push(readCall(item))
    else if (item.type === 'function_call_output') {
      close()
      messages.push({ role: 'tool', toolCallId: item.call_id, content: textOf(item.output) })
    } else if (item.role === 'assistant') {
      if (open().content !== null || open().toolCalls.length > 0) close()
      open().content = textOf(item.content)
    } else {
      close()
      const role = item.role === 'user' ? 'user' : 'system'
      messages.push({ role, content: textOf(item.content) })
    }
  }
  close()
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

/** What was thought: shown, or packed by us; nobody can read what others encrypted. */
function readThoughts({ content = [], encrypted_content }: ReasoningItem): string {
  const shown = content.map(({ text }) => text).join('\n')
  return shown === '' && encrypted_content !== undefined ? unpackThoughts(encrypted_content) : shown
}

const packed = 'sepia.'

/** Thoughts as `encrypted_content`: opaque to clients that keep nothing and send everything back, though no secret. */
export function packThoughts(thoughts: string): string {
  return packed + Buffer.from(thoughts).toString('base64url')
}

function unpackThoughts(text: string): string {
  return text.startsWith(packed) ? Buffer.from(text.slice(packed.length), 'base64url').toString('utf8') : ''
}

/** Several parts become lines, as in chats. */
function textOf(content: MessageItem['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('\n')
}

/** Templates take one system message at the beginning, some of them no other. */
function joinLeadingSystem(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const leading = first === -1 ? messages.length : first
  if (leading < 2) return messages
  const content = messages.slice(0, leading).map((message) => message.content)
  return [{ role: 'system', content: content.join('\n\n') }, ...messages.slice(leading)]
}
