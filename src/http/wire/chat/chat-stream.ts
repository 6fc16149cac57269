import type { WrittenPart } from '../../../core/text/visible-text.ts'
import type { TextPart, TextRequest } from '../../../core/text-generation.ts'
import { describeError, type ErrorReader } from '../../faults/error-body.ts'
import { doneEvent, encodeAsciiJson, encodeEventData } from '../event-data.ts'
import type { NativeTimer } from '../llama-cpp/timings.ts'
import { ClientCalls, finishWord } from './client-calls.ts'
import type { CompletionHead } from './completion.ts'
import type { Delivery } from './stream-options-field.ts'
import { encodeLogprobs, encodeTokenUsage } from './text-answers.ts'

/**
 * Encodes a generation as the events of a chat completion stream, one whole event per item. A failure becomes an error event, after which the
 * stream ends without `[DONE]`.
 *
 * @param delivery.timer Measures each chunk's time; absent = no timings.
 */
export async function* encodeChatStream(
  head: CompletionHead,
  request: TextRequest,
  parts: AsyncIterable<TextPart>,
  { timer = null, ...delivery }: Delivery & ErrorReader & { readonly timer?: NativeTimer | null },
): AsyncGenerator<string, void, undefined> {
  const chunk = (fields: object) =>
    encodeEventData({
      id: head.id,
      object: 'chat.completion.chunk',
      created: head.created,
      model: head.model,
      service_tier: head.tier,
      ...fields,
    })
  const calls = new ClientCalls(request)
  const times = () => timer && { timings: timer.timings() }
  const choices = Array.from({ length: request.choices }, (_, index) => index)
  const frames = choices.map((index) => frameOf(chunk({ choices: [choiceOf(index, { content: '' })] })))
  try {
    for (const index of choices) yield chunk({ choices: [choiceOf(index, { content: null })] })
    for await (const part of parts) {
      timer?.note(part)
      if (part.type === 'prompt' || (part.type === 'finish' && !delivery.includeUsage)) continue
      const frame = timer === null && part.type === 'text' && part.logprobs === undefined ? frames[part.choice] : undefined
      if (part.type === 'text' && frame !== undefined) yield frame.before + encodeAsciiJson(part.text) + frame.after
      else {
        const ended = calls.before(part)
        if (ended !== null && 'choice' in part) yield chunk({ choices: [choiceOf(part.choice, { content: null, ...ended })] })
        const said = calls.of(part)
        if (said === null) continue
        const encoded =
          said !== undefined && 'choice' in part
            ? { choices: [choiceOf(part.choice, { content: null, ...said })] }
            : encodePart(part, 'choice' in part && calls.isOnly(part.choice))
        yield chunk({ ...encoded, ...times() })
      }
    }
  } catch (error) {
    yield encodeEventData({ error: describeError(error, delivery) })
    throw error
  }
  yield doneEvent
}

/**
 * The parts of an event before and after its text. Most events differ only in their text, and encoding the rest again would double the cost.
 */
function frameOf(emptyEvent: string): { readonly before: string; readonly after: string } {
  const key = '"content":'
  const at = emptyEvent.lastIndexOf(`${key}""`) + key.length
  return { before: emptyEvent.slice(0, at), after: emptyEvent.slice(at + '""'.length) }
}

/** Encodes one part as a chunk's choice. @param isOnly Whether its choice ends with a `function_call` of OpenAI's first interface. */
export function encodePart(part: WrittenPart, isOnly = false): object {
  return part.type === 'finish'
    ? { choices: [], usage: encodeTokenUsage(part.usage) }
    : { choices: [encodeChoice(part, isOnly)], ...warningsOf(part) }
}

function encodeChoice(part: Exclude<TextPart, { type: 'prompt' | 'finish' }>, isOnly: boolean): object {
  switch (part.type) {
    case 'text':
      return {
        ...choiceOf(part.choice, { content: part.text }),
        logprobs: part.logprobs && { content: encodeLogprobs(part.logprobs) },
      }
    case 'thoughts':
      return choiceOf(part.choice, { content: null, reasoning_content: part.text })
    case 'tool-call':
      return choiceOf(part.choice, {
        content: null,
        tool_calls: [{ index: part.index, id: part.id, type: 'function', function: { name: part.name, arguments: '' } }],
      })
    case 'tool-arguments':
      return choiceOf(part.choice, { content: null, tool_calls: [{ index: part.index, function: { arguments: part.fragment } }] })
    case 'choice-finish':
      return choiceOf(part.choice, { content: '' }, finishWord(part.reason, isOnly))
  }
}

function warningsOf(part: TextPart): { readonly warnings?: readonly string[] } {
  return part.type === 'choice-finish' && part.warnings !== undefined ? { warnings: part.warnings } : {}
}

interface Delta {
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly object[]
  readonly function_call?: object
}

function choiceOf(index: number, { content, ...rest }: Delta, finish: string | null = null): object {
  return { index, delta: { role: 'assistant', content, function_call: null, ...rest }, finish_reason: finish }
}
