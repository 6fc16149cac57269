import Type from 'typebox'
import type { TextRequest } from '../../../core/text-generation.ts'
import type { Answer } from '../answer.ts'

/** The settings of an answer's generation. */
export const generationSettingsSchema = Type.Object({
  n_predict: Type.Integer({ description: '-1 = what the context holds.' }),
  seed: Type.Integer({ description: 'The random one if the request has none.' }),
  temperature: Type.Number(),
  top_k: Type.Integer(),
  top_p: Type.Number(),
  min_p: Type.Number(),
  repeat_penalty: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  stop: Type.Array(Type.String()),
  ignore_eos: Type.Boolean(),
  grammar: Type.String(),
  n_probs: Type.Integer(),
  stream: Type.Boolean(),
  logit_bias: Type.Array(Type.Object({ token: Type.Integer(), bias: Type.Number() })),
})

/** The request's settings in its answer, with every default filled in. */
export function encodeGenerationSettings(
  request: Omit<TextRequest, 'model' | 'input'>,
  stream: boolean,
): Answer<typeof generationSettingsSchema> {
  const { sampling, responseFormat } = request
  return {
    n_predict: request.maxTokensIsDefault === true ? -1 : request.maxTokens,
    seed: sampling.seed,
    temperature: sampling.temperature,
    top_k: sampling.topK,
    top_p: sampling.topP,
    min_p: sampling.minP,
    repeat_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    stop: request.stop,
    ignore_eos: request.ending?.ignoreEnd ?? false,
    grammar: responseFormat.type === 'grammar' ? responseFormat.grammar : '',
    n_probs: request.topLogprobs ?? 0,
    stream,
    logit_bias: [...sampling.logitBias].map(([token, bias]) => ({ token, bias })),
  }
}
