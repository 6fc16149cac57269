import Type from 'typebox'
import { closed, optional } from '../../../faults/object-schema.ts'
import { accepted } from '../../ignored-fields.ts'

const name = (description: string) => Type.String({ maxLength: 512, description })

/** OpenAI's fields that have no effect here. Each accepts only values that hold for every answer. */
export const acceptedFields = optional({
  user: Type.String({ description: 'Your identifier of the end user; accepted for compatibility, not stored.' }),
  safety_identifier: name('Accepted for compatibility, not kept.'),
  prompt_cache_key: name(accepted.keptWarm),
  prompt_cache_retention: name(accepted.keptWarm),
  prompt_cache_options: closed(
    { mode: Type.Optional(Type.Literal('implicit')), ttl: Type.Optional(Type.String({ maxLength: 16 })) },
    { description: accepted.keptWarm },
  ),
  prediction: closed(
    {
      type: Type.Literal('content'),
      content: Type.Union([Type.String(), Type.Array(closed({ type: Type.Literal('text'), text: Type.String() }))]),
    },
    { description: 'Accepted; a hint for speed that does not change the answer.' },
  ),
  modalities: Type.Array(Type.Literal('text'), { minItems: 1, maxItems: 1, description: 'Answers are text.' }),
  verbosity: Type.Enum(['low', 'medium', 'high'], { description: 'Accepted, no effect; limit answers with max_tokens.' }),
})

const always = 'Accepted; Sepia always does this.'

/** Fields that llama.cpp's and vLLM's clients send by default: hints without effect, and switches with the only supported value. */
export const neutralFields = optional({
  cache_prompt: Type.Boolean({ description: accepted.byItself }),
  id_slot: Type.Integer({ description: accepted.byItself }),
  n_keep: Type.Integer({ description: accepted.neverShortened }),
  request_id: Type.String({ maxLength: 512, description: 'Accepted, not kept; send the header X-Request-Id to name a request.' }),
  return_progress: Type.Literal(false, { description: accepted.onlyWay }),
  timings_per_token: Type.Literal(false, { description: accepted.onlyWay }),
  verbose: Type.Literal(false, { description: accepted.onlyWay }),
  return_tokens: Type.Literal(false, { description: accepted.onlyWay }),
  return_token_ids: Type.Literal(false, { description: accepted.onlyWay }),
  return_tokens_as_token_ids: Type.Literal(false, { description: accepted.onlyWay }),
  use_beam_search: Type.Literal(false, { description: accepted.onlyWay }),
  early_stopping: Type.Literal(false, { description: accepted.onlyWay }),
  length_penalty: Type.Literal(1, { description: accepted.onlyWay }),
  best_of: Type.Literal(1, { description: accepted.onlyWay }),
  mirostat: Type.Literal(0, { description: accepted.onlyWay }),
  typical_p: Type.Literal(1, { description: accepted.onlyWay }),
  xtc_probability: Type.Literal(0, { description: accepted.onlyWay }),
  dry_multiplier: Type.Literal(0, { description: accepted.onlyWay }),
  dynatemp_range: Type.Literal(0, { description: accepted.onlyWay }),
  skip_special_tokens: Type.Literal(true, { description: always }),
  spaces_between_special_tokens: Type.Boolean({ description: 'Accepted; answers have no special tokens.' }),
  include_reasoning: Type.Literal(true, { description: always }),
  reasoning_format: Type.Enum(['auto', 'deepseek'], { description: 'Accepted; reasoning is returned as `reasoning_content`.' }),
})
