import Type, { type Static } from 'typebox'
import { parseRecord } from '../../../core/json-value.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { TextPart, TokenLogprob } from '../../../core/text-generation.ts'
import type { TextChoice } from '../../../operations/collect-text.ts'
import { optional } from '../../faults/object-schema.ts'
import { encodeLogprobs } from '../chat/text-answers.ts'
import { encodeLine } from '../event-data.ts'
import { NativeTimer } from '../llama-cpp/timings.ts'
import { toOllamaError } from './ollama-error.ts'

const nanoseconds = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description: `${description}, in nanoseconds.` }))

const callSchema = Type.Object({
  id: Type.String(),
  function: Type.Object({ index: Type.Integer({ minimum: 0 }), name: Type.String(), arguments: Type.Object({}) }),
})

const tokenSchema = Type.Object({ token: Type.String(), logprob: Type.Number(), bytes: Type.Array(Type.Integer()) })

const answerFields = {
  model: Type.String(),
  created_at: Type.String({ description: 'RFC 3339.' }),
  done: Type.Boolean(),
  ...optional({
    done_reason: Type.Enum(['stop', 'length', 'load', 'unload']),
    logprobs: Type.Array(Type.Object({ ...tokenSchema.properties, top_logprobs: Type.Array(tokenSchema) })),
    total_duration: nanoseconds('The whole'),
    load_duration: nanoseconds('Waiting for the model; part of `prompt_eval_duration`, so 0'),
    prompt_eval_count: Type.Integer({ description: 'Tokens of the prompt.' }),
    prompt_eval_duration: nanoseconds('Until the prompt was read'),
    eval_count: Type.Integer({ description: 'Tokens of the answer.' }),
  }),
  eval_duration: nanoseconds('From there to the end'),
}

/** Answer of POST /api/chat, and each line of its stream. */
export const ollamaChatAnswerSchema = Type.Object({
  ...answerFields,
  message: Type.Object({
    role: Type.Literal('assistant'),
    content: Type.String(),
    thinking: Type.Optional(Type.String()),
    tool_calls: Type.Optional(Type.Array(callSchema)),
  }),
})

/** Answer of POST /api/generate, and each line of its stream. */
export const ollamaGenerateAnswerSchema = Type.Object({
  ...answerFields,
  response: Type.String(),
  thinking: Type.Optional(Type.String()),
})

type Call = Static<typeof callSchema>

/** The content of one line. */
interface Said {
  readonly text?: string
  readonly thoughts?: string
  readonly calls?: readonly Call[]
}

/** The answer of one request in Ollama's format, whole or line by line, with its duration. */
export class OllamaAnswer {
  readonly #shape: 'chat' | 'generate'
  readonly #model: string
  readonly #clock: Pick<Clock, 'now'>
  readonly #timer: NativeTimer

  constructor(shape: 'chat' | 'generate', { model, clock }: { readonly model: string; readonly clock: Pick<Clock, 'now'> }) {
    this.#shape = shape
    this.#model = model
    this.#clock = clock
    this.#timer = new NativeTimer(clock)
  }

  /** Receives each part of an answer that is not streamed, to measure its time and tokens. */
  note(part: TextPart): void {
    this.#timer.note(part)
  }

  whole({ text, thoughts, toolCalls, logprobs, reason }: TextChoice): object {
    const calls = toolCalls.flatMap((call, index) => readCall({ ...call, index }, reason) ?? [])
    return this.#encode({ text, thoughts, calls }, { ...this.#end(reason), ...withLogprobs(logprobs) })
  }

  /** The answer to a request that only loads or unloads. */
  nothing(reason: 'load' | 'unload'): object {
    return this.#encode({}, { done: true, done_reason: reason })
  }

  /** A line that says nothing, as Ollama itself sends them, for a stream that waits. */
  get ping(): string {
    return encodeLine(this.#encode({}, { done: false }))
  }

  /**
   * One line of JSON per item. A failure becomes a line with `error`, after which the stream ends. A call is one line when all of its
   * arguments are complete.
   */
  async *lines(parts: AsyncIterable<TextPart>): AsyncGenerator<string, void, undefined> {
    const calls: { id: string; name: string; arguments: string; index: number }[] = []
    let reason: TextChoice['reason'] = 'stop'
    const line = (said: Said, more: object = { done: false }) => encodeLine(this.#encode(said, more))
    try {
      for await (const part of parts) {
        this.#timer.note(part)
        if (part.type === 'text' && (part.text !== '' || (part.logprobs ?? []).length > 0))
          yield line({ text: part.text }, { done: false, ...withLogprobs(part.logprobs ?? []) })
        else if (part.type === 'thoughts' && part.text !== '') yield line({ thoughts: part.text })
        else if (part.type === 'tool-call') calls[part.index] = { id: part.id, name: part.name, arguments: '', index: part.index }
        else if (part.type === 'tool-arguments') {
          const call = calls[part.index]
          if (call !== undefined) call.arguments += part.fragment
        } else if (part.type === 'choice-finish') {
          reason = part.reason
          const whole = calls.flatMap((call) => readCall(call, part.reason) ?? [])
          if (whole.length > 0) yield line({ calls: whole })
        } else if (part.type === 'finish') yield line({}, this.#end(reason))
      }
    } catch (error) {
      yield encodeLine(toOllamaError(error))
      throw error
    }
  }

  #end(reason: TextChoice['reason']): object {
    const { prompt_ms: readMs, predicted_ms: writtenMs } = this.#timer.timings()
    const { promptTokens, completionTokens } = this.#timer.usage
    return {
      done: true,
      done_reason: reason === 'length' ? 'length' : 'stop',
      total_duration: toNanoseconds(readMs + writtenMs),
      load_duration: 0,
      prompt_eval_count: promptTokens,
      prompt_eval_duration: toNanoseconds(readMs),
      eval_count: completionTokens,
      eval_duration: toNanoseconds(writtenMs),
    }
  }

  #encode({ text = '', thoughts = '', calls = [] }: Said, more: object): object {
    const head = { model: this.#model, created_at: new Date(this.#clock.now()).toISOString() }
    const thinking = thoughts === '' ? {} : { thinking: thoughts }
    const said =
      this.#shape === 'generate'
        ? { response: text, ...thinking }
        : { message: { role: 'assistant', content: text, ...thinking, tool_calls: calls.length > 0 ? calls : undefined } }
    return { ...head, ...said, ...more }
  }
}

function toNanoseconds(ms: number): number {
  return Math.round(ms * 1e6)
}

/** A whole call; null for one that the limit cut off. */
function readCall(
  { id, name, arguments: text, index }: { readonly id: string; readonly name: string; readonly arguments: string; readonly index: number },
  reason: TextChoice['reason'],
): Call | null {
  const input = parseRecord(text)
  return input === null && reason === 'length' ? null : { id, function: { index, name, arguments: input ?? {} } }
}

function withLogprobs(logprobs: readonly TokenLogprob[]): object {
  return logprobs.length === 0 ? {} : { logprobs: encodeLogprobs(logprobs) }
}
