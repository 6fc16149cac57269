import type { JsonObject } from '../../../core/json-value.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { TokenLogprob } from '../../../core/text-generation.ts'
import type { TextChoice } from '../../../operations/collect-text.ts'
import { inputIn } from '../chat/client-calls.ts'
import { encodeLogprobs } from '../chat/text-answers.ts'
import type { ResponseBody } from './response-request.ts'
import { isCustom, splitName } from './response-tools.ts'
import { pack } from './tool-history.ts'

/** The fields of every item; the others depend on its type. */
export type OutputItem = JsonObject & { readonly id: string; readonly type: 'reasoning' | 'message' | 'function_call' | 'custom_tool_call' }

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

const prefixes = { reasoning: 'rs', message: 'msg', function_call: 'fc', custom_tool_call: 'ctc' } as const

/** An item of a response. */
interface ItemPlace {
  /** `resp_` and 32 hex digits. */
  readonly response: string
  /** Its position in the output, from 0. */
  readonly place: number
}

/** The id of an item, which names its response, so that references to it can be resolved. */
export function itemId(type: OutputItem['type'], { response, place }: ItemPlace): string {
  return `${prefixes[type]}_${response.slice('resp_'.length)}${place.toString(16).padStart(4, '0')}`
}

/** The id of the response that an item belongs to; null = not an id of {@link itemId}. */
export function responseOf(id: string): string | null {
  const [, digits] = /^(?:rs|msg|fc|ctc)_([0-9a-f]{32})[0-9a-f]{4,}$/.exec(id) ?? []
  return digits === undefined ? null : `resp_${digits}`
}

/** The model's reasoning. */
export function reasoningItem(body: ResponseBody, id: string, thoughts: string, status: ItemStatus): OutputItem {
  const packed = body.include?.includes('reasoning.encrypted_content') === true && status !== 'in_progress'
  return {
    id,
    type: 'reasoning',
    summary: [],
    content: thoughts === '' ? [] : [{ type: 'reasoning_text', text: thoughts }],
    ...(packed && { encrypted_content: pack('thoughts', thoughts) }),
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
  if (isCustom(call.name, body)) return { ...head, type: 'custom_tool_call', input: inputIn(call.arguments) }
  return { ...head, type: 'function_call', arguments: call.arguments }
}

/** The items of a response's finished choice. An empty answer is a message with an empty text. */
export function encodeOutputItems(
  response: string,
  body: ResponseBody,
  { thoughts, text, toolCalls, logprobs, reason }: TextChoice,
): readonly OutputItem[] {
  const status = finishWords[reason].responses === null ? 'completed' : 'incomplete'
  const speaks = text !== '' || toolCalls.length === 0
  let place = 0
  const id = (type: OutputItem['type']) => itemId(type, { response, place: place++ })
  return [
    ...(thoughts === '' ? [] : [reasoningItem(body, id('reasoning'), thoughts, 'completed')]),
    ...(speaks ? [messageItem(id('message'), textPart(text, logprobs), toolCalls.length > 0 ? 'completed' : status)] : []),
    ...toolCalls.map((call, index) =>
      callItem(body, id(callType(body, call.name)), call, index === toolCalls.length - 1 ? status : 'completed'),
    ),
  ]
}
