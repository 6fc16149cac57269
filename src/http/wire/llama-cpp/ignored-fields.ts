import Type from 'typebox'
import { optional } from '../../faults/object-schema.ts'
import { neutralFields } from '../chat/fields/accepted-fields.ts'
import { accepted, ignoredFields as plainIdle } from '../ignored-fields.ts'

const idle = 'Accepted, no effect; its feature is off.'
const number = (description: string) => Type.Optional(Type.Number({ description }))

const { cache_prompt, id_slot, n_keep, mirostat, typical_p, xtc_probability, dry_multiplier, dynatemp_range, return_progress } =
  neutralFields

/** Fields of other servers that SillyTavern sends to llama.cpp's server, which ignores them too. */
const unknownToIts = plainIdle(
  'add_bos_token',
  'api_server',
  'api_type',
  'ban_eos_token',
  'banned_strings',
  'custom_token_bans',
  'dynamic_temperature',
  'dynatemp_high',
  'dynatemp_low',
  'grammar_string',
  'guidance_scale',
  'include_reasoning',
  'logprobs',
  'max_new_tokens',
  'max_tokens_second',
  'mirostat_mode',
  'negative_prompt',
  'nsigma',
  'num_ctx',
  'num_predict',
  'rep_pen',
  'rep_pen_range',
  'rep_pen_slope',
  'repetition_penalty',
  'repetition_penalty_range',
  'sampler_seed',
  'skew',
  'skip_special_tokens',
  'smoothing_curve',
  'smoothing_factor',
  'stopping_strings',
  'tfs',
  'top_a',
  'truncation_length',
  'typical',
)

/** Fields that llama.cpp's clients send with every request and that change no answer: hints, samplers that are off, and their parameters. */
export const ignoredFields = {
  cache_prompt,
  id_slot,
  n_keep,
  return_progress,
  mirostat,
  mirostat_tau: number(idle),
  mirostat_eta: number(idle),
  typical_p,
  xtc_probability,
  xtc_threshold: number(idle),
  dry_multiplier,
  dry_base: number(idle),
  dry_allowed_length: number(idle),
  dry_penalty_last_n: number(idle),
  dry_sequence_breakers: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 64, description: idle })),
  dynatemp_range,
  dynatemp_exponent: number(idle),
  ...optional({
    top_n_sigma: Type.Enum([-1, 0], { description: accepted.onlyWay }),
    adaptive_target: Type.Number({ maximum: -0.01, description: 'Accepted; negative is off.' }),
    adaptive_decay: number(idle),
    n: Type.Literal(1, { description: accepted.onlyWay }),
    min_keep: Type.Literal(0, { description: accepted.onlyWay }),
    n_discard: number(accepted.neverShortened),
    n_indent: Type.Literal(0, { description: accepted.onlyWay }),
    t_max_predict_ms: Type.Literal(0, { description: 'Accepted; limit with n_predict.' }),
    post_sampling_probs: Type.Literal(false, { description: 'Accepted; probabilities are those before sampling.' }),
  }),
  'speculative.n_max': number(accepted.byItself),
  'speculative.n_min': number(accepted.byItself),
  'speculative.p_min': number(accepted.byItself),
  ...unknownToIts,
}
