import Type, { type Static, type TObject } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { TextRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField, optional } from '../../faults/object-schema.ts'
import { fieldFault, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { adapterFields, findAdapterFaults, readAdapters } from '../chat/fields/adapter-fields.ts'
import { endingFields, findEndingFaults, readEnding, readStop, stopField } from '../chat/fields/ending-fields.ts'
import { findOutputFormatFaults, outputFormatFields, readOutputFormat } from '../chat/fields/output-format-fields.ts'
import type { BodySettings } from '../chat/sampling-fields.ts'
import { ignoredFields } from './ignored-fields.ts'
import { findNativePromptFaults, nativePromptField, type PromptPieces, readNativePrompts } from './native-prompt.ts'
import { findNativeSamplingFaults, nativeSamplingFields, readBiases, readNativeSampling, type TokenBias } from './sampling.ts'

const most = 2 ** 31 - 1
const { grammar, json_schema } = outputFormatFields

const firstFields = {
  model: Type.Optional(Type.String({ minLength: 1, description: 'A model of kind text; may be left out where there is only one.' })),
}

const lastFields = {
  ...optional({
    n_predict: integerField(-1, most, 'Maximum number of tokens to generate; -1 = what the context holds, 0 = only read the prompt.', -1),
    max_tokens: integerField(-1, most, "OpenAI's name for n_predict; send one of them."),
  }),
  stop: stopField,
  ignore_eos: endingFields.ignore_eos,
  min_tokens: endingFields.min_tokens,
  grammar,
  json_schema,
  ...optional({
    n_probs: integerField(0, 20, 'Alternatives per token in `completion_probabilities`; 0 = none.', 0),
    stream: Type.Boolean({ default: false, description: 'Whether the answer comes as server-sent events; for a single prompt.' }),
    return_tokens: Type.Boolean({ default: false, description: 'Whether `tokens` has the ids of the text; in a stream it always has.' }),
    timings_per_token: Type.Boolean({ default: false, description: 'Whether each event of a stream has `timings`.' }),
    response_fields: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 64,
      description: 'The fields that the answer has, such as `content` or `generation_settings/n_predict`; all by default.',
    }),
  }),
  ...adapterFields,
  ...ignoredFields,
}

type Fields<First> = First & ReturnType<typeof nativeSamplingFields> & typeof lastFields

/** The body of POST /completion. */
export function nativeCompletionSchema(settings: BodySettings): TObject<Fields<typeof firstFields & { prompt: typeof nativePromptField }>> {
  return closed({ ...nativeFields(settings), prompt: nativePromptField })
}

/** The fields that llama.cpp's generating routes share. */
export function nativeFields(settings: BodySettings): Fields<typeof firstFields> {
  return { ...firstFields, ...nativeSamplingFields(settings), ...lastFields }
}

/** A checked request. Its texts that stand between tokens are not yet tokenized. */
export interface ParsedNative {
  /** Absent = the only one. */
  readonly model: string | undefined
  readonly prompts: readonly PromptPieces[]
  /** Whether the answer is a list. */
  readonly several: boolean
  readonly biases: readonly TokenBias[]
  /** All but the model and the input. */
  readonly request: Omit<TextRequest, 'model' | 'input'>
  readonly delivery: NativeDelivery
}

/** The delivery of an answer in llama.cpp's format. */
export interface NativeDelivery {
  readonly stream: boolean
  readonly withTokens: boolean
  readonly timingsPerToken: boolean
  /** The paths of the fields to answer; null = all. */
  readonly fields: readonly string[] | null
}

/** Makes the parser of POST /completion. */
export function createNativeCompletionParser(settings: BodySettings): (body: unknown) => ParsedNative {
  const checker = createBodyChecker(nativeCompletionSchema(settings))
  return (received) => {
    const body = checker.parse(withoutEmptyGrammar(received), textFaultCodes)
    const { prompts, several } = readNativePrompts(body.prompt)
    refuseFaults([...findNativePromptFaults(body.prompt), ...findNativeFaults(body), ...findStreamFaults(body, several)], textFaultCodes)
    return { ...readNative(body), prompts, several }
  }
}

/** An empty grammar counts as absent; clients send one with every request. */
function withoutEmptyGrammar(received: unknown): unknown {
  if (!isRecord(received) || received.grammar !== '') return received
  const { grammar: _, ...rest } = received
  return rest
}

type NativeBody = Static<TObject<Fields<typeof firstFields>>>

/** Finds faults of the shared fields that the schema cannot express. */
export function findNativeFaults(body: NativeBody): readonly FieldFault[] {
  const { n_predict: own, max_tokens: other } = body
  const contradicts = own !== undefined && other !== undefined && own !== other
  return [
    ...findNativeSamplingFaults(body),
    ...findOutputFormatFaults(body, { type: 'text' }),
    ...findEndingFaults(body, most),
    ...findAdapterFaults(body),
    ...(contradicts ? [fieldFault('max_tokens', 'contradicts `n_predict`; send one of them.')] : []),
  ]
}

/** Reads the shared fields. */
export function readNative(body: NativeBody): Omit<ParsedNative, 'prompts' | 'several'> {
  const limit = body.n_predict ?? body.max_tokens ?? -1
  const ending = readEnding(body)
  const { stream = false, return_tokens: withTokens = false, n_probs: probabilities = 0, response_fields: fields = [] } = body
  return {
    model: body.model,
    biases: readBiases(body),
    request: {
      ...(limit === -1 ? { maxTokens: most, maxTokensIsDefault: true } : { maxTokens: limit }),
      sampling: readNativeSampling(body),
      stop: readStop(body.stop),
      choices: 1,
      topLogprobs: probabilities === 0 ? null : probabilities,
      responseFormat: readOutputFormat(body) ?? { type: 'text' },
      ...((withTokens || stream) && { tellsTokens: true }),
      ...(ending && { ending }),
      ...readAdapters(body),
    },
    delivery: {
      stream,
      withTokens: withTokens || stream,
      timingsPerToken: body.timings_per_token ?? false,
      fields: fields.length === 0 ? null : fields,
    },
  }
}

function findStreamFaults({ stream = false }: NativeBody, several: boolean): readonly FieldFault[] {
  if (!stream || !several) return []
  return [fieldFault('stream', 'needs one prompt; send them one by one, or leave it out.')]
}
