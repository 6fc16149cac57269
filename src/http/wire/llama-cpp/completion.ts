import Type from 'typebox'
import { isRecord } from '../../../core/json-value.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { TextPart, TextRequest, TokenLogprob, UnscoredToken } from '../../../core/text-generation.ts'
import type { TextChoice } from '../../../operations/collect-text.ts'
import type { Answer } from '../answer.ts'
import { encodeEventData } from '../event-data.ts'
import type { NativeDelivery } from './completion-request.ts'
import { encodeGenerationSettings, generationSettingsSchema } from './generation-settings.ts'
import { toNativeError } from './native-error.ts'
import { type NativeTimer, timingsSchema } from './timings.ts'

const tokenFields = {
  id: Type.Integer({ description: '-1 if the upstream server does not report it.' }),
  token: Type.String(),
  bytes: Type.Array(Type.Integer()),
  logprob: Type.Number(),
}

/** Probabilities of each token. */
const probabilitiesSchema = Type.Array(Type.Object({ ...tokenFields, top_logprobs: Type.Array(Type.Object(tokenFields)) }))

/** Answer of POST /completion, and the last event of a stream. Several prompts get a list of these. */
export const nativeCompletionAnswerSchema = Type.Object({
  index: Type.Integer({ minimum: 0, description: 'Index of its prompt.' }),
  content: Type.String({ description: 'The text; empty at the end of a stream.' }),
  tokens: Type.Array(Type.Integer(), { description: 'Its token ids, if requested.' }),
  id_slot: Type.Literal(-1),
  stop: Type.Literal(true),
  model: Type.String(),
  tokens_predicted: Type.Integer({ minimum: 0 }),
  tokens_evaluated: Type.Integer({ minimum: 0, description: 'Tokens of the prompt.' }),
  generation_settings: generationSettingsSchema,
  prompt: Type.Union([Type.String(), Type.Array(Type.Integer())], { description: 'The prompt as sent.' }),
  has_new_line: Type.Boolean(),
  truncated: Type.Boolean({ description: 'Whether the context ended the text before its limit.' }),
  stop_type: Type.Enum(['eos', 'word', 'limit']),
  stopping_word: Type.String({ description: 'The stop string that ended it; empty when none did.' }),
  tokens_cached: Type.Integer({ minimum: 0, description: 'Tokens of the prompt that were cached.' }),
  timings: timingsSchema,
  completion_probabilities: Type.Optional(probabilitiesSchema),
})

type NativeAnswer = Answer<typeof nativeCompletionAnswerSchema>

/** The end of a text. */
interface NativeEnd {
  readonly index: number
  /** The whole text. */
  readonly text: string
  readonly choice: Pick<TextChoice, 'reason' | 'stop'>
  readonly timer: NativeTimer
}

/** The fields of the last event of a stream, which an answer has besides its text. */
function encodeNativeEnd(request: TextRequest, { index, text, choice, timer }: NativeEnd, { stream }: NativeDelivery): NativeAnswer {
  const { input } = request
  const { completionTokens, promptTokens, cachedTokens } = timer.usage
  return {
    index,
    content: '',
    tokens: [],
    id_slot: -1,
    stop: true,
    model: request.model,
    tokens_predicted: completionTokens,
    tokens_evaluated: promptTokens,
    generation_settings: encodeGenerationSettings(request, stream),
    prompt: input.type === 'prompt' ? (input.tokens ?? input.prompt) : '',
    has_new_line: text.includes('\n'),
    truncated: choice.reason === 'length' && completionTokens < request.maxTokens,
    stop_type: choice.reason === 'stop' && choice.stop !== undefined ? 'word' : finishWords[choice.reason].llamaCpp,
    stopping_word: choice.stop ?? '',
    tokens_cached: cachedTokens,
    timings: timer.timings(),
  }
}

/** A whole answer, or its requested fields. */
export function encodeNativeCompletion(
  request: TextRequest,
  { choice, ...end }: Omit<NativeEnd, 'text' | 'choice'> & { readonly choice: TextChoice },
  delivery: NativeDelivery,
): object {
  const { text, tokens = [], logprobs } = choice
  const answer: NativeAnswer = {
    ...encodeNativeEnd(request, { ...end, text, choice }, delivery),
    content: text,
    tokens: delivery.withTokens ? tokens : [],
    completion_probabilities: request.topLogprobs === null ? undefined : encodeProbabilities(logprobs),
  }
  return pickFields(answer, delivery.fields)
}

/** Probabilities of each token in llama.cpp's format. */
function encodeProbabilities(logprobs: readonly TokenLogprob[]): Answer<typeof probabilitiesSchema> {
  return logprobs.map(({ top, ...own }) => ({ ...encodeToken(own), top_logprobs: top.map(encodeToken) }))
}

/** Picks the fields of an answer at paths such as `timings/prompt_n`, keyed by path; all of it for null. */
function pickFields(answer: object, paths: readonly string[] | null): object {
  if (paths === null) return answer
  const picked = paths.map((path) => [path, path.split('/').reduce<unknown>(memberOf, answer)] as const)
  return Object.fromEntries(picked.filter(([, value]) => value !== undefined))
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function encodeToken({ id = -1, token, bytes, logprob }: UnscoredToken & { readonly logprob: number }): {
  readonly id: number
  readonly token: string
  readonly bytes: readonly number[]
  readonly logprob: number
} {
  return { id, token, bytes, logprob }
}

/**
 * Encodes a generation as llama.cpp's events: pieces of text, then one with `stop: true` and the statistics. A failure ends the stream
 * without the latter.
 */
export async function* encodeNativeStream(
  request: TextRequest,
  parts: AsyncIterable<TextPart>,
  { timer, delivery }: { readonly timer: NativeTimer; readonly delivery: NativeDelivery },
): AsyncGenerator<string, void, undefined> {
  let text = ''
  let end: Pick<TextChoice, 'reason' | 'stop'> = { reason: 'stop' }
  try {
    for await (const part of parts) {
      timer.note(part)
      if (part.type === 'choice-finish') end = part
      if (part.type === 'finish')
        yield encodeEventData(pickFields(encodeNativeEnd(request, { index: 0, text, choice: end, timer }, delivery), delivery.fields))
      if (part.type !== 'text') continue
      text += part.text
      yield encodeEventData({
        index: 0,
        content: part.text,
        tokens: part.tokens ?? [],
        stop: false,
        id_slot: -1,
        tokens_predicted: timer.usage.completionTokens,
        tokens_evaluated: timer.usage.promptTokens,
        timings: delivery.timingsPerToken ? timer.timings() : undefined,
        completion_probabilities: part.logprobs && encodeProbabilities(part.logprobs),
      })
    }
  } catch (error) {
    yield encodeEventData(toNativeError(error))
    throw error
  }
}
