import Type, { type Static, type TObject } from 'typebox'
import { defined } from '../../../core/defined.ts'
import type { FieldFault } from '../../../core/error.ts'
import type { ChatInput, ResponseFormat, SamplingParameters, TextRequest } from '../../../core/text-generation.ts'
import { type BodyOf, closed, integerField, numberField, optional } from '../../faults/object-schema.ts'
import { fieldFault, findIdleField } from '../../faults/refuse-faults.ts'
import { readStop, stopField } from '../chat/fields/ending-fields.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { readSampling } from '../chat/sampling-fields.ts'
import { ignoredFields } from '../ignored-fields.ts'

/** Ollama's sampling defaults where neither the request nor the model has one. */
const usualSampling = { temperature: 0.8, top_k: 40, top_p: 0.9 } as const

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const penalty = (description: string) => Type.Number({ minimum: -2, maximum: 2, description })

/** Ollama's options about memory layout. Here the planner decides, so they have no effect. */
const layout = ignoredFields(
  'f16_kv',
  'logits_all',
  'low_vram',
  'main_gpu',
  'num_batch',
  'num_gpu',
  'num_keep',
  'num_thread',
  'numa',
  'use_mlock',
  'use_mmap',
  'vocab_only',
)

const optionsSchema = closed(
  {
    ...optional({
      num_predict: integerField(-2, 2 ** 31 - 1, 'Maximum number of tokens to generate; -1 and -2 = to the end of the context.'),
      num_ctx: Type.Integer({ minimum: 1, description: "Context length; rejected if it exceeds the model's." }),
      temperature: numberField(0, 2, 'Randomness; 0 always picks the most likely token. 0.8 by default.'),
      top_k: integerField(-1, 1_000_000, 'Samples only from this many tokens; 0 or -1 = off. 40 by default.'),
      top_p: share('Samples only from the most likely tokens with this total probability. 0.9 by default.'),
      min_p: share("Drops tokens below this share of the most likely one's probability. 0 by default."),
      seed: integerField(
        -Number.MAX_SAFE_INTEGER,
        Number.MAX_SAFE_INTEGER,
        'The same seed gives the same text; its low 32 bits count, and -1 = random, the default.',
      ),
      stop: stopField,
      repeat_penalty: Type.Number({
        exclusiveMinimum: 0,
        maximum: 2,
        description: 'Divides the score of tokens seen before, in the whole context; 1 = off, the default.',
      }),
      repeat_last_n: Type.Integer({ minimum: -1, description: 'Accepted; penalties count in the whole context.' }),
      presence_penalty: penalty('Lowers the score of tokens that were generated. 0 by default.'),
      frequency_penalty: penalty('Lowers it once for each time. 0 by default.'),
      mirostat: integerField(0, 2, 'Only 0: off.'),
      typical_p: Type.Number({ description: 'Only 1: off.' }),
      tfs_z: Type.Number({ description: 'Only 1: off.' }),
      penalize_newline: Type.Boolean({ description: 'Accepted; newlines count as other tokens do.' }),
    }),
    ...ignoredFields('mirostat_eta', 'mirostat_tau'),
    ...layout,
  },
  { description: "Ollama's options; those about memory layout are accepted and change nothing." },
)

/** How long a model stays loaded. */
export const keepAliveField = Type.Optional(
  Type.Union([Type.Number(), Type.String({ maxLength: 64 })], {
    description: 'For owners: 0 unloads the model after the answer, or at once without a prompt. Other values have no effect.',
  }),
)

/** The field `model`, which comes first. */
export const modelField = Type.String({
  minLength: 1,
  description: 'A text model, see /api/tags; `name:tag` where it names one model only.',
})

/** The fields that /api/chat and /api/generate share. */
export const runFields = optional({
  stream: Type.Boolean({ default: true, description: 'Whether the answer comes as lines of JSON.' }),
  format: Type.Union([Type.Enum(['json', '']), jsonObject], { description: '`json`, or a JSON schema that the answer follows.' }),
  think: Type.Union([Type.Boolean(), Type.Enum(['low', 'medium', 'high', 'max'])], {
    description: "Whether, or how long, the model reasons before it answers; the template's default otherwise.",
  }),
  options: optionsSchema,
  temperature: numberField(0, 2, 'The same as in `options`; some clients send it here.'),
  top_p: share('The same as in `options`.'),
  max_output_tokens: integerField(1, 2 ** 31 - 1, 'The same as `num_predict` in `options`.'),
  keep_alive: keepAliveField,
  logprobs: Type.Boolean({ default: false, description: 'Whether tokens come with their log probabilities.' }),
  top_logprobs: integerField(0, 20, 'Alternatives per token; needs `logprobs`.'),
  truncate: Type.Boolean({ default: true, description: 'Whether the oldest turns are dropped from a conversation that is too long.' }),
  shift: Type.Boolean({ description: 'Accepted; an answer ends where the context does.' }),
})

type RunBody = BodyOf<typeof runFields>
type Options = Static<TObject<(typeof optionsSchema)['properties']>>

/** Finds options of unsupported features, and fields that need another. */
export function findRunFaults(body: RunBody): readonly FieldFault[] {
  const { options = {} } = body
  const fault = (name: string, text: string) => fieldFault(name.split('.'), text, 'unsupported_parameter')
  return [
    ...((options.mirostat ?? 0) === 0 ? [] : [fault('options.mirostat', 'must be 0: this service does not have Mirostat.')]),
    ...((options.typical_p ?? 1) === 1
      ? []
      : [fault('options.typical_p', 'must be 1: this service does not have it; use top_p or min_p.')]),
    ...((options.tfs_z ?? 1) === 1 ? [] : [fault('options.tfs_z', 'must be 1: this service does not have it; use top_p or min_p.')]),
    ...findIdleField(body, 'top_logprobs', 'logprobs'),
    ...findKeepAliveFaults(body),
  ]
}

/** Finds a time to stay loaded that is none. */
export function findKeepAliveFaults({ keep_alive }: Pick<RunBody, 'keep_alive'>): readonly FieldFault[] {
  if (typeof keep_alive !== 'string' || duration.test(keep_alive)) return []
  return [fieldFault('keep_alive', 'must be seconds or a duration such as 5m or 1h30m; -1 = for ever.', 'format')]
}

/** Go's durations, such as `1h30m` or `-1s`; digits alone are seconds. */
const duration = /^-?(?:\d+|(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)$/

/** Whether the model should leave memory right away: {@link findKeepAliveFaults} found a duration, and it is zero. */
export function unloadsNow({ keep_alive }: Pick<RunBody, 'keep_alive'>): boolean {
  return keep_alive === 0 || (typeof keep_alive === 'string' && !/[1-9]/.test(keep_alive))
}

/** A parsed body of /api/chat or /api/generate. */
export interface OllamaRun {
  readonly model: string
  /** null = the model is to be loaded, or unloaded if {@link unloads} is set. */
  readonly request: TextRequest | null
  readonly unloads: boolean
  readonly stream: boolean
  /** The context that the client requires; absent = any. */
  readonly contextLength?: number
}

/** Reads the fields that both routes share. @param input null = there is nothing to answer. */
export function readRun(body: RunBody & Pick<OllamaRun, 'model'>, input: TextRequest['input'] | null): OllamaRun {
  const { model, options, stream = true } = body
  return {
    model,
    request: input === null ? null : { model, input, ...readGeneration(body) },
    unloads: unloadsNow(body),
    stream,
    ...defined({ contextLength: options?.num_ctx }),
  }
}

/** The options of the generation. Those about old turns and reasoning belong to the conversation. */
function readGeneration(body: RunBody): Omit<TextRequest, 'model' | 'input'> {
  const options = optionsOf(body)
  const most = options.num_predict ?? -1
  return {
    ...(most < 0 ? { maxTokens: 2 ** 31 - 1, maxTokensIsDefault: true } : { maxTokens: most }),
    sampling: readOptions(options),
    stop: readStop(options.stop),
    choices: 1,
    topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : null,
    responseFormat: readFormat(body.format),
  }
}

/** The options, including those that clients write beside them. */
function optionsOf({ options, temperature, top_p, max_output_tokens }: RunBody): Options {
  return { ...defined({ temperature, top_p, num_predict: max_output_tokens }), ...options }
}

/** The options of a conversation: how long the model reasons, and whether old turns may be dropped. */
export function readChatOptions({
  think,
  truncate = true,
}: RunBody): Pick<ChatInput, 'effort' | 'effortIsWish' | 'thinks' | 'dropsOldest'> {
  return { ...readThink(think), ...(truncate && { dropsOldest: true }) }
}

function readThink(think: RunBody['think']): Pick<ChatInput, 'effort' | 'effortIsWish' | 'thinks'> {
  if (think === undefined) return {}
  if (think === false) return { effort: 'none', effortIsWish: true }
  if (think === true) return { thinks: true }
  return { effort: think }
}

/** Fills in Ollama's defaults; the other options mean the same as in chats. */
function readOptions({ seed = -1, ...options }: Options): SamplingParameters {
  return readSampling({ ...usualSampling, ...options, ...(seed !== -1 && { seed }) })
}

function readFormat(format: RunBody['format']): ResponseFormat {
  if (format === undefined || format === '') return { type: 'text' }
  if (format === 'json') return { type: 'json_object' }
  return { type: 'json_schema', schema: format, field: 'format' }
}
