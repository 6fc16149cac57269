import Type from 'typebox'

const off = 'Accepted; there is no other way here.'
const always = 'Accepted; it is always so.'
const hint = 'Accepted; the service sees to it by itself, and the answer is the same.'

/** What llama.cpp's and vLLM's clients send by habit: hints that change no answer, and switches in the one position there is here. */
export const neutralFields = {
  cache_prompt: Type.Optional(Type.Boolean({ description: hint })),
  id_slot: Type.Optional(Type.Integer({ description: hint })),
  n_keep: Type.Optional(Type.Integer({ description: 'Accepted; prompts are never shortened.' })),
  request_id: Type.Optional(
    Type.String({ maxLength: 512, description: 'Accepted, not kept; send the header X-Request-Id to name a request.' }),
  ),
  return_progress: Type.Optional(Type.Literal(false, { description: off })),
  timings_per_token: Type.Optional(Type.Literal(false, { description: off })),
  verbose: Type.Optional(Type.Literal(false, { description: off })),
  return_tokens: Type.Optional(Type.Literal(false, { description: off })),
  return_token_ids: Type.Optional(Type.Literal(false, { description: off })),
  return_tokens_as_token_ids: Type.Optional(Type.Literal(false, { description: off })),
  use_beam_search: Type.Optional(Type.Literal(false, { description: off })),
  early_stopping: Type.Optional(Type.Literal(false, { description: off })),
  length_penalty: Type.Optional(Type.Literal(1, { description: off })),
  best_of: Type.Optional(Type.Literal(1, { description: off })),
  mirostat: Type.Optional(Type.Literal(0, { description: off })),
  typical_p: Type.Optional(Type.Literal(1, { description: off })),
  xtc_probability: Type.Optional(Type.Literal(0, { description: off })),
  dry_multiplier: Type.Optional(Type.Literal(0, { description: off })),
  dynatemp_range: Type.Optional(Type.Literal(0, { description: off })),
  skip_special_tokens: Type.Optional(Type.Literal(true, { description: always })),
  spaces_between_special_tokens: Type.Optional(Type.Boolean({ description: 'Accepted; answers have no special tokens.' })),
  include_reasoning: Type.Optional(Type.Literal(true, { description: always })),
  reasoning_format: Type.Optional(Type.Enum(['auto', 'deepseek'], { description: 'Accepted; thoughts come as `reasoning_content`.' })),
}
