import type { FieldFault } from '../../../core/error.ts'
import type { ChatMessage, ToolCall } from '../../../core/text-generation.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { CallArguments } from './call-arguments.ts'
import type { ChatMessageBody } from './chat-message-schema.ts'
import { findPartFaults, joinTexts, readParts } from './content-parts.ts'

/** Finds faults that the schema cannot express: fields that belong to another role. */
export function findMessageFaults(messages: readonly ChatMessageBody[]): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const callArguments = new CallArguments()
  for (const [index, message] of messages.entries()) {
    const at = (field: string, text: string, kind = 'conflict') => faults.push(fieldFault(['messages', index, field], text, kind))
    const { role, content } = message
    if (content === undefined && role !== 'assistant' && role !== 'tool' && role !== 'function')
      at('content', 'is required: add a string or a list of text parts.', 'missing')
    if (Array.isArray(content)) faults.push(...findPartFaults(content, { role, path: ['messages', index, 'content'] }))
    for (const field of ['tool_calls', 'function_call', 'reasoning_content', 'reasoning'] as const)
      if (message[field] !== undefined && role !== 'assistant') at(field, 'belongs to assistant messages only: remove it.')
    if (role !== 'tool' && role !== 'function' && message.tool_call_id !== undefined)
      at('tool_call_id', 'belongs to tool messages only: remove it.')
    for (const [place, call] of (message.tool_calls ?? []).entries()) {
      const field = call.type === 'custom' ? 'custom' : 'function'
      if (call[field] === undefined) at(`tool_calls[${place}].${field}`, 'is required: add an object.', 'missing')
    }
    for (const { path, written } of argumentsIn(message)) {
      faults.push(...callArguments.check(written, ['messages', index, ...path]))
      if (callArguments.tooLong) return faults
    }
  }
  return faults
}

function argumentsIn({ tool_calls = [], function_call: old }: ChatMessageBody) {
  return [
    ...tool_calls.map(({ function: called, custom }, place) => ({
      path: custom === undefined ? ['tool_calls', place, 'function', 'arguments'] : ['tool_calls', place, 'custom', 'input'],
      written: custom?.input ?? writeArguments(called?.arguments),
    })),
    ...(old === undefined ? [] : [{ path: ['function_call', 'arguments'], written: writeArguments(old.arguments) }]),
  ]
}

/** Arguments as JSON text. Some clients send an object, or nothing for an empty one. */
function writeArguments(value: string | object | undefined): string {
  return typeof value === 'object' ? JSON.stringify(value) : (value ?? '')
}

/** Converts messages that {@link findMessageFaults} accepted. Results without an id answer the calls in order. */
export function readChatMessages(messages: readonly ChatMessageBody[]): readonly ChatMessage[] {
  const open = new Set<string>()
  return messages.map((body, index) => {
    const message = readMessage(body, index)
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) open.add(id)
    if (message.role !== 'tool') return message
    const [first = ''] = open
    const toolCallId = message.toolCallId || first
    open.delete(toolCallId)
    return { ...message, toolCallId }
  })
}

function readMessage(body: ChatMessageBody, index: number): ChatMessage {
  const { role, content, name, tool_call_id: callId = '', refusal, reasoning, reasoning_content: thoughts = reasoning } = body
  const text = readContent(content) ?? refusal ?? null
  const named = name ? { name } : {}
  if (role === 'tool' || role === 'function') return { role: 'tool', content: text ?? '', toolCallId: callId, ...named }
  const parts = typeof content === 'object' ? readParts(content) : undefined
  if (role !== 'assistant') return { role: role === 'developer' ? 'system' : role, content: text ?? '', ...(parts && { parts }), ...named }
  const toolCalls = readCalls(body, index)
  const said = toolCalls.length > 0 ? text : (text ?? '')
  return { role, content: said, ...(toolCalls.length > 0 && { toolCalls }), ...(thoughts !== undefined && { thoughts }), ...named }
}

/** The calls of a message; a call without an id gets one from its index. */
function readCalls({ tool_calls = [], function_call: old }: ChatMessageBody, index: number): readonly ToolCall[] {
  const called = [
    ...tool_calls.map(({ id, function: called, custom }) => ({
      id,
      name: custom?.name ?? called?.name ?? '',
      written: custom === undefined ? called?.arguments : { input: custom.input },
    })),
    ...(old === undefined ? [] : [{ id: '', name: old.name, written: old.arguments }]),
  ]
  return called.map(({ id, name, written }, place) => ({ id: id || `call_${index}_${place}`, name, arguments: writeArguments(written) }))
}

function readContent(content: ChatMessageBody['content']): string | null {
  if (content === undefined) return null
  return typeof content === 'string' ? content : joinTexts(content)
}
