import { toErrorRecord } from '../../../core/error.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import type { FinishReason, TextPart, TokenLogprob } from '../../../core/text-generation.ts'
import { chatWords, sentenceIn } from '../../faults/field-words.ts'
import { inputIn } from '../chat/client-calls.ts'
import { encodeLogprobs } from '../chat/text-answers.ts'
import { encodeNamedEvent } from '../event-data.ts'
import { callItem, callType, itemId, messageItem, type OutputItem, reasoningItem, textPart } from './output-items.ts'
import { encodeResponse, endOf, type ResponseHead, type ResponseState } from './response.ts'
import type { ResponseBody } from './response-request.ts'

/**
 * Encodes a generation as the events of a response, numbered in order, one whole event per item.
 *
 * @param keep Receives the finished response before the client does, and returns what the client gets.
 */
export async function* encodeResponseStream(
  head: ResponseHead,
  body: ResponseBody,
  parts: AsyncIterable<TextPart>,
  keep: (response: JsonObject) => Promise<JsonObject>,
): AsyncGenerator<string, void, undefined> {
  let number = 0
  const event: Emit = (type, fields) => encodeNamedEvent(type, { type, sequence_number: number++, ...fields })
  const items = new Items(head.id, body, event)
  yield event('response.created', { response: encodeResponse(head, body, { status: 'in_progress' }) })
  yield event('response.in_progress', { response: encodeResponse(head, body, { status: 'in_progress' }) })
  try {
    let reason: FinishReason = 'stop'
    let warned: Pick<ResponseState, 'warnings'> = {}
    for await (const part of parts) {
      if (part.type === 'choice-finish') {
        reason = part.reason
        if (part.warnings !== undefined) warned = { warnings: part.warnings }
      } else if (part.type === 'finish') {
        const end = endOf(reason)
        yield* items.end(end.status)
        const response = encodeResponse(head, body, { ...end, output: items.done, usage: part.usage, ...warned })
        yield event(`response.${end.status}`, { response: await keep(response) })
      } else if (part.type !== 'prompt') yield* items.add(part)
    }
  } catch (error) {
    const record = toErrorRecord(error)
    const failure = { ...record, message: sentenceIn(chatWords.responses, record.message) }
    yield event('response.failed', { response: encodeResponse(head, body, { status: 'failed', output: items.done, error: failure }) })
    throw error
  }
}

type Emit = (type: string, fields: object) => string
type ItemPart = Exclude<TextPart, { type: 'prompt' | 'choice-finish' | 'finish' }>

interface OpenItem {
  readonly id: string
  readonly type: OutputItem['type']
  text: string
  readonly logprobs: TokenLogprob[]
  readonly call: { readonly id: string; readonly name: string } | null
}

/** The items of a stream. At most one is open, and a part of another kind closes it. */
class Items {
  readonly done: OutputItem[] = []
  readonly #response: string
  readonly #body: ResponseBody
  readonly #event: Emit
  #open: OpenItem | null = null

  constructor(response: string, body: ResponseBody, event: Emit) {
    this.#response = response
    this.#body = body
    this.#event = event
  }

  *add(part: ItemPart): Generator<string> {
    if (part.type === 'tool-call') {
      yield* this.#start(callType(this.#body, part.name), { id: part.id, name: part.name })
      return
    }
    const called = this.#open?.call ? this.#open.type : 'function_call'
    const type = part.type === 'text' ? 'message' : part.type === 'thoughts' ? 'reasoning' : called
    const open = this.#open?.type === type ? this.#open : yield* this.#start(type, null)
    const delta = part.type === 'tool-arguments' ? part.fragment : part.text
    open.text += delta
    const at = { item_id: open.id, output_index: this.done.length }
    if (part.type === 'tool-arguments') {
      // The input of a custom tool is inside JSON, so it is sent when it is complete.
      if (type === 'function_call') yield this.#event('response.function_call_arguments.delta', { ...at, delta })
    } else if (part.type === 'thoughts') yield this.#event('response.reasoning_text.delta', { ...at, content_index: 0, delta })
    else {
      open.logprobs.push(...(part.logprobs ?? []))
      yield this.#event('response.output_text.delta', { ...at, content_index: 0, delta, logprobs: encodeLogprobs(part.logprobs ?? []) })
    }
  }

  /** @param status Whether the last item is complete or was cut off. */
  *end(status: 'completed' | 'incomplete'): Generator<string> {
    // An answer that consists only of reasoning has an empty message.
    const hasOutput = [...this.done, ...(this.#open === null ? [] : [this.#open])].some(({ type }) => type !== 'reasoning')
    if (!hasOutput) yield* this.#start('message', null)
    yield* this.#close(status)
  }

  *#start(type: OutputItem['type'], call: OpenItem['call']): Generator<string, OpenItem> {
    yield* this.#close('completed')
    const id = itemId(type, { response: this.#response, place: this.done.length })
    const open: OpenItem = { id, type, text: '', logprobs: [], call }
    this.#open = open
    const at = { output_index: this.done.length }
    yield this.#event('response.output_item.added', { ...at, item: this.#item(open, 'in_progress') })
    const part = this.#part({ ...open, text: '' })
    if (part !== null) yield this.#event('response.content_part.added', { ...at, item_id: open.id, content_index: 0, part })
    return open
  }

  *#close(status: 'completed' | 'incomplete'): Generator<string> {
    const open = this.#open
    if (open === null) return
    this.#open = null
    const at = { item_id: open.id, output_index: this.done.length }
    const { text } = open
    if (open.type === 'custom_tool_call') {
      const input = inputIn(text)
      yield this.#event('response.custom_tool_call_input.delta', { ...at, delta: input })
      yield this.#event('response.custom_tool_call_input.done', { ...at, input })
    } else if (open.call !== null)
      yield this.#event('response.function_call_arguments.done', { ...at, name: open.call.name, arguments: text })
    else if (open.type === 'reasoning') yield this.#event('response.reasoning_text.done', { ...at, content_index: 0, text })
    else yield this.#event('response.output_text.done', { ...at, content_index: 0, text, logprobs: encodeLogprobs(open.logprobs) })
    const part = this.#part(open)
    if (part !== null) yield this.#event('response.content_part.done', { ...at, content_index: 0, part })
    const item = this.#item(open, status)
    yield this.#event('response.output_item.done', { output_index: this.done.length, item })
    this.done.push(item)
  }

  #part({ type, text, logprobs }: OpenItem): JsonObject | null {
    if (type === 'function_call' || type === 'custom_tool_call') return null
    return type === 'reasoning' ? { type: 'reasoning_text', text } : textPart(text, logprobs)
  }

  #item(open: OpenItem, status: 'in_progress' | 'completed' | 'incomplete'): OutputItem {
    const { id, type, text, call } = open
    if (call !== null) return callItem(this.#body, id, { ...call, arguments: text }, status)
    if (type === 'reasoning') return reasoningItem(this.#body, id, text, status)
    return messageItem(id, status === 'in_progress' ? null : this.#part(open), status)
  }
}
