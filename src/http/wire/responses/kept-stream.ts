import { isRecord, type JsonObject, type JsonValue } from '../../../core/json-value.ts'
import { queryFault } from '../../faults/refuse-faults.ts'
import { encodeNamedEvent } from '../event-data.ts'

/** Query parameters of GET /v1/responses/<id>. */
export const keptStreamQuery = ['stream', 'starting_after', 'include_obfuscation'] as const

/**
 * Reads whether a stored response is requested as events.
 *
 * @returns The number of the last event that the client has, -1 = none; null = it wants JSON.
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readStreamQuery(query: Readonly<Record<string, unknown>>): { readonly after: number } | null {
  const { stream = 'false', starting_after: after, include_obfuscation: obfuscation = 'false' } = query
  for (const [name, value] of Object.entries({ stream, include_obfuscation: obfuscation }))
    if (value !== 'true' && value !== 'false') throw queryFault(name, 'must be true or false.')
  if (after !== undefined && !/^\d{1,9}$/.test(String(after))) throw queryFault('starting_after', 'must be the number of an event.')
  if (after !== undefined && stream === 'false') throw queryFault('starting_after', 'needs stream=true.')
  return stream === 'true' ? { after: after === undefined ? -1 : Number(after) } : null
}

/**
 * The events of a stored response, each item whole: its current state, then its end. The last event is always sent, even when the client has
 * received more events of the first stream than this one has.
 *
 * @param states The response now, then at its end.
 * @param after The number of the last event that the client has.
 */
export async function* encodeKeptStream(
  states: AsyncIterable<JsonObject>,
  { after }: { readonly after: number },
): AsyncGenerator<string, void, undefined> {
  let number = 0
  const event = (type: string, fields: object): string => {
    const sequence = number++
    return sequence <= after ? '' : encodeNamedEvent(type, { type, sequence_number: sequence, ...fields })
  }
  let last: JsonObject | null = null
  for await (const response of states) {
    if (last === null) {
      const begun = { ...response, status: 'in_progress', output: [], usage: null, error: null, incomplete_details: null }
      yield event('response.created', { response: begun }) + event('response.in_progress', { response: begun })
    }
    last = response
  }
  if (last === null) return
  const output = Array.isArray(last.output) ? last.output : []
  for (const [index, item] of output.entries()) yield [...itemEvents(item, index, event)].join('')
  number = Math.max(number, after + 1)
  const ends = ['completed', 'incomplete'].includes(String(last.status)) ? last.status : 'failed'
  yield event(`response.${String(ends)}`, { response: last })
}

function* itemEvents(item: JsonValue, index: number, event: (type: string, fields: object) => string): Generator<string> {
  if (!isRecord(item)) return
  const at = { item_id: item.id, output_index: index }
  const content: readonly JsonValue[] = Array.isArray(item.content) ? item.content : []
  yield event('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', ...emptied(item) } })
  if (item.type === 'function_call') {
    yield event('response.function_call_arguments.delta', { ...at, delta: item.arguments })
    yield event('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments })
  }
  if (item.type === 'custom_tool_call') {
    yield event('response.custom_tool_call_input.delta', { ...at, delta: item.input })
    yield event('response.custom_tool_call_input.done', { ...at, input: item.input })
  }
  for (const [place, part] of content.entries()) {
    if (!isRecord(part)) continue
    const inside = { ...at, content_index: place }
    const isThought = part.type === 'reasoning_text'
    const logprobs = isThought ? {} : { logprobs: part.logprobs ?? [] }
    const name = isThought ? 'response.reasoning_text' : 'response.output_text'
    yield event('response.content_part.added', { ...inside, part: { ...part, text: '' } })
    yield event(`${name}.delta`, { ...inside, delta: part.text, ...logprobs })
    yield event(`${name}.done`, { ...inside, text: part.text, ...logprobs })
    yield event('response.content_part.done', { ...inside, part })
  }
  yield event('response.output_item.done', { output_index: index, item })
}

function emptied(item: Readonly<Record<string, unknown>>): object {
  if (item.type === 'function_call') return { arguments: '' }
  return item.type === 'custom_tool_call' ? { input: '' } : { content: [] }
}
