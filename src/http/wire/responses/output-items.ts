import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../core/json-value.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { TokenLogprob } from '../../../core/text-generation.ts'
import type { TextChoice } from '../../../operations/collect-text.ts'
import { packThoughts } from './read-items.ts'
import type { ResponseBody } from './response-request.ts'
import { isCustom, splitName } from './response-tools.ts'

/** The fields of every item; the others depend on its type. */
export type OutputItem = JsonObject & { readonly id: string; readonly type: 'reasoning' | 'message' | 'function_call' | 'custom_tool_call' }

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

const prefixes = { reasoning: 'rs', message: 'msg', function_call: 'fc', custom_tool_call: 'ctc' } as const

/** A new id for an item. */
export function itemId(type: OutputItem['type']): string {
  return `${prefixes[type]}_${randomUUID().replaceAll('-', '')}`
}

/** The model's reasoning. */
export function reasoningItem(body: ResponseBody, id: string, thoughts: string, status: ItemStatus): OutputItem {
  const packed = body.include?.includes('reasoning.encrypted_content') === true && status !== 'in_progress'
  return {
    id,
    type: 'reasoning',
    summary: [],
    content: thoughts === '' ? [] : [{ type: 'reasoning_text', text: thoughts }],
    ...(packed && { encrypted_content: packThoughts(thoughts) }),
    status,
  }
}

/** The model's message; `part` is null while it is empty. */
export function messageItem(id: string, part: JsonObject | null, status: ItemStatus): OutputItem {
  return { id, type: 'message', role: 'assistant', content: part === null ? [] : [part], status }
}

/** A text written by the model. */
export function textPart(text: string, logprobs: readonly TokenLogprob[]): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: encodeLogprobs(logprobs) }
}

/** The type of a call's item. */
export function callType(body: ResponseBody, name: string): 'function_call' | 'custom_tool_call' {
  return isCustom(name, body) ? 'custom_tool_call' : 'function_call'
}

/** A call by the model. */
export function callItem(
  body: ResponseBody,
  id: string,
  call: { readonly id: string; readonly name: string; readonly arguments: string },
  status: ItemStatus,
): OutputItem {
  const head = { id, call_id: `call_${call.id}`, ...splitName(call.name, body), status }
  if (isCustom(call.name, body)) return { ...head, type: 'custom_tool_call', input: customInput(call.arguments) }
  return { ...head, type: 'function_call', arguments: call.arguments }
}

/** The text input of a custom tool; the raw text when the call was cut off. */
export function customInput(written: string): string {
  try {
    const { input }: { readonly input?: unknown } = Object(JSON.parse(written))
    return typeof input === 'string' ? input : written
  } catch {
    return written
  }
}

/** Log probabilities of texts. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[]): readonly JsonObject[] {
  return logprobs.map(({ token, logprob, bytes, top }) => ({
    token,
    logprob,
    bytes,
    top_logprobs: top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: other.bytes })),
  }))
}

/** The items of a finished choice. An empty answer is a message with an empty text. */
export function encodeOutputItems(body: ResponseBody, { thoughts, text, toolCalls, logprobs, reason }: TextChoice): readonly OutputItem[] {
  const status = finishWords[reason].responses === null ? 'completed' : 'incomplete'
  const speaks = text !== '' || toolCalls.length === 0
  return [
    ...(thoughts === '' ? [] : [reasoningItem(body, itemId('reasoning'), thoughts, 'completed')]),
    ...(speaks ? [messageItem(itemId('message'), textPart(text, logprobs), toolCalls.length > 0 ? 'completed' : status)] : []),
    ...toolCalls.map((call, index) =>
      callItem(body, itemId(callType(body, call.name)), call, index === toolCalls.length - 1 ? status : 'completed'),
    ),
  ]
}
