import type { FieldFault } from '../../../core/error.ts'
import type { ChatMessage } from '../../../core/text-generation.ts'
import { CallArguments } from './call-arguments.ts'
import type { ChatMessageBody } from './chat-message-schema.ts'
import { findPartFaults, joinTexts, readParts } from './content-parts.ts'

/** Finds what the schema cannot say: which fields belong to which role, and that tool results answer a call. */
export function findMessageFaults(messages: readonly ChatMessageBody[]): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const calls = new Set<string>()
  const callArguments = new CallArguments()
  for (const [index, message] of messages.entries()) {
    const at = (field: string, text: string, kind = 'conflict') =>
      faults.push({ path: ['messages', index, field], message: `\`messages[${index}].${field}\` ${text}`, kind })
    const { role, tool_calls = [] } = message
    if (message.content === undefined && !(role === 'assistant' && tool_calls.length > 0))
      at('content', 'is required: add a string or a list of text parts.', 'missing')
    if (Array.isArray(message.content)) faults.push(...findPartFaults(message.content, { role, path: ['messages', index, 'content'] }))
    if (message.tool_calls !== undefined && role !== 'assistant') at('tool_calls', 'belongs to assistant messages only: remove it.')
    if (message.reasoning_content !== undefined && role !== 'assistant')
      at('reasoning_content', 'belongs to assistant messages only: remove it.')
    if (role === 'tool' && message.tool_call_id === undefined)
      at('tool_call_id', 'is required on tool messages: add the id of the call it answers.', 'missing')
    if (role !== 'tool' && message.tool_call_id !== undefined) at('tool_call_id', 'belongs to tool messages only: remove it.')
    if (role === 'tool' && message.tool_call_id !== undefined && !calls.has(message.tool_call_id))
      at('tool_call_id', 'must be the id of a tool call in an earlier assistant message.')
    for (const [place, call] of tool_calls.entries()) {
      calls.add(call.id)
      faults.push(...callArguments.check(call.function.arguments, ['messages', index, 'tool_calls', place, 'function', 'arguments']))
      if (callArguments.tooLong) return faults
    }
  }
  return faults
}

/** Messages that {@link findMessageFaults} found nothing wrong with, in the words of the domain. */
export function readChatMessages(messages: readonly ChatMessageBody[]): readonly ChatMessage[] {
  return messages.map(readMessage)
}

function readMessage({ role, content, name, tool_calls = [], tool_call_id, reasoning_content: thoughts }: ChatMessageBody): ChatMessage {
  const text = readContent(content)
  const named = name === undefined ? {} : { name }
  if (role === 'tool') return { role, content: text ?? '', toolCallId: tool_call_id ?? '', ...named }
  const parts = typeof content === 'object' ? readParts(content) : undefined
  if (role !== 'assistant') return { role: role === 'developer' ? 'system' : role, content: text ?? '', ...(parts && { parts }), ...named }
  const toolCalls = tool_calls.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text }))
  return { role, content: text, ...(toolCalls.length > 0 && { toolCalls }), ...(thoughts !== undefined && { thoughts }), ...named }
}

function readContent(content: ChatMessageBody['content']): string | null {
  if (content === undefined) return null
  return typeof content === 'string' ? content : joinTexts(content)
}
