import Type, { type TObject } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { TextGap, TextRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField, optional } from '../../faults/object-schema.ts'
import { fieldFault, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { acceptedFields, neutralFields } from './fields/accepted-fields.ts'
import { adapterFields, findAdapterFaults, readAdapters } from './fields/adapter-fields.ts'
import { endingFields, findEndingFaults, readEnding, readStop, stopField } from './fields/ending-fields.ts'
import { findLimitFaults, predictField, readLimit } from './fields/limit-fields.ts'
import { findOutputFormatFaults, outputFormatFields, readOutputFormat } from './fields/output-format-fields.ts'
import { findPromptFaults, promptField, readPrompts } from './fields/prompt-field.ts'
import { readUrgency, urgencyFields } from './fields/urgency-fields.ts'
import { textModelField } from './require-text-model.ts'
import { findResponseFormatFaults, readResponseFormat, responseFormatField } from './response-format-field.ts'
import { type BodySettings, findSamplingFaults, readSampling, type SamplingFields, samplingFields } from './sampling-fields.ts'
import { type Delivery, findStreamFaults, readDelivery, streamFields } from './stream-options-field.ts'

/** OpenAI's default for plain completions. */
const defaultMaxTokens = 16

const firstFields = {
  model: textModelField,
  prompt: promptField,
  max_tokens: Type.Optional(integerField(-1, 2 ** 31 - 1, '0 only with echo; -1 = what the context holds.', defaultMaxTokens)),
}

const lastFields = {
  suffix: Type.Optional(Type.String({ description: 'Text after the gap; for models trained to fill gaps.' })),
  n_predict: predictField,
  stop: stopField,
  ...endingFields,
  response_format: responseFormatField,
  ...outputFormatFields,
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 16, default: 1 })),
  ...streamFields,
  ...optional({
    echo: Type.Boolean({ default: false, description: 'Whether the answer begins with the prompt; logprobs then include its tokens.' }),
    logprobs: integerField(0, 20, 'Alternatives per token.'),
  }),
  ...adapterFields,
  priority: urgencyFields.priority,
  ...neutralFields,
  user: acceptedFields.user,
}

/** The body of POST /v1/completions. */
export function completionRequestSchema(settings: BodySettings): TObject<typeof firstFields & SamplingFields & typeof lastFields> {
  return closed({ ...firstFields, ...samplingFields(settings), ...lastFields })
}

/** One request per prompt, and the answer's delivery. */
export interface ParsedCompletion {
  readonly request: TextRequest
  /** Requests of the other prompts. */
  readonly others: readonly TextRequest[]
  readonly delivery: Delivery
}

/** Makes the parser of plain completion requests. */
export function createCompletionRequestParser(settings: BodySettings): (body: unknown) => ParsedCompletion {
  const checker = createBodyChecker(completionRequestSchema(settings))
  return (received) => {
    const body = checker.parse(received, textFaultCodes)
    const limit = readLimit(body, defaultMaxTokens)
    const responseFormat = readResponseFormat(body.response_format)
    const formatFaults = [...findResponseFormatFaults(body.response_format), ...findOutputFormatFaults(body, responseFormat)]
    refuseFaults(
      [
        ...findPromptFaults(body.prompt),
        ...findStreamFaults(body),
        ...findEchoFaults(body),
        ...findGapFaults(body),
        ...formatFaults,
        ...findEndingFaults(body, limit.maxTokens),
        ...findLimitFaults(body, { least: 0 }),
        ...findSamplingFaults(body),
        ...findAdapterFaults(body),
      ],
      textFaultCodes,
    )
    const ending = readEnding(body)
    const request: TextRequest = {
      model: body.model,
      input: { type: 'prompt', prompt: '', echo: body.echo ?? false },
      ...limit,
      sampling: readSampling(body),
      stop: readStop(body.stop),
      choices: body.n ?? 1,
      topLogprobs: body.logprobs ?? null,
      responseFormat: readOutputFormat(body) ?? responseFormat,
      ...(ending && { ending }),
      ...readAdapters(body),
      ...readUrgency(body),
    }
    const [first = request, ...others] = readPrompts(body.prompt).map(
      (prompt): TextRequest => ({ ...request, input: { type: 'prompt', ...prompt, echo: body.echo ?? false, ...readGap(body) } }),
    )
    return { request: first, others, delivery: readDelivery(body) }
  }
}

/** The gap of a prompt and a suffix; an empty suffix counts as absent. */
function readGap({ suffix = '' }: { readonly suffix?: string }): { readonly gap?: TextGap } {
  return suffix === '' ? {} : { gap: { suffix, files: [] } }
}

function findGapFaults({
  suffix = '',
  echo = false,
  prompt,
}: {
  readonly suffix?: string
  readonly echo?: boolean
  readonly prompt: unknown
}): readonly FieldFault[] {
  if (suffix === '') return []
  const isText = typeof prompt === 'string' || (Array.isArray(prompt) && prompt.every((entry) => typeof entry === 'string'))
  if (echo) return [fieldFault('suffix', 'must be left out with `echo`.')]
  return isText ? [] : [fieldFault('suffix', 'needs a text as `prompt`.')]
}

function findEchoFaults({ echo = false, max_tokens }: { readonly echo?: boolean; readonly max_tokens?: number }): readonly FieldFault[] {
  if (echo || max_tokens !== 0) return []
  return [fieldFault('max_tokens', 'must be at least 1; 0 is only for an `echo` of the prompt.', 'range')]
}
