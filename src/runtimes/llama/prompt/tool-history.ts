import { createHash } from 'node:crypto'
import { isRecord } from '../../../core/json-value.ts'
import type { ChatMessage } from '../../../core/text-generation.ts'
import type { ToolFormat } from './tool-format.ts'

/** Rewrites earlier calls and results, which another service may have made, as a native template insists on them. */
export function fitToolHistory({ shortIds, next, parameters }: ToolFormat, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const named = shortIds ? messages.map(shortenIds) : messages
  const calls = parameters === undefined ? named : named.map(nameArguments)
  return next === null ? separateCalls(calls) : calls
}

/** Arguments as an object, also those that are cut or no object: the template goes through its members. */
function nameArguments(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message
  const toolCalls = message.toolCalls.map((call) =>
    isObject(call.arguments) ? call : { ...call, arguments: JSON.stringify({ arguments: call.arguments }) },
  )
  return { ...message, toolCalls }
}

function isObject(text: string): boolean {
  try {
    return text === '' || isRecord(JSON.parse(text))
  } catch {
    return false
  }
}

/** Ids of nine letters and digits, the same wherever they stand. */
function shortenIds(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { ...message, toolCallId: shorten(message.toolCallId) }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message
  return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: shorten(call.id) })) }
}

function shorten(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)
}

/** One call per message, each with its result behind it. */
function separateCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const placed = new Set<ChatMessage>()
  return messages.flatMap((message) => {
    if (placed.has(message)) return []
    if (message.role !== 'assistant' || message.toolCalls === undefined || message.toolCalls.length < 2) return [message]
    return message.toolCalls.flatMap((call, index): readonly ChatMessage[] => {
      const results = messages.filter((other) => other.role === 'tool' && other.toolCallId === call.id)
      for (const result of results) placed.add(result)
      const said = index === 0 ? message : ({ role: 'assistant', content: null } as const)
      return [{ ...said, toolCalls: [call] }, ...results]
    })
  })
}
