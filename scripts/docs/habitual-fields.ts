import type { PublishedField } from './published-fields.ts'

/** Fields that llama.cpp's and vLLM's clients send besides OpenAI's, on one route. */
export interface HabitualSurface {
  readonly route: string
  readonly least: Readonly<Record<string, unknown>>
  readonly fields: Readonly<Record<string, PublishedField>>
}

const honoured = (sample: unknown, words = '', beside = {}): PublishedField => ({ fate: 'honoured', sample, words, beside })
const ignored = (sample: unknown, words = ''): PublishedField => ({ fate: 'ignored', sample, words })
const refused = (sample: unknown, words = ''): PublishedField => ({ fate: 'refused', sample, words })

const hint = 'a hint; the answer is the same'
const only = (value: unknown): PublishedField => ignored(value, `\`${JSON.stringify(value)}\` only; other values are refused by name`)
const schema = 'by models with weights; the server behind others may not know it'

const both = {
  cache_prompt: ignored(true, hint),
  dry_multiplier: only(0),
  dynatemp_range: only(0),
  early_stopping: only(false),
  id_slot: ignored(-1, hint),
  ignore_eos: honoured(true),
  include_reasoning: only(true),
  include_stop_str_in_output: honoured(true, '', { stop: ['x'] }),
  length_penalty: only(1),
  logits_processors: refused([]),
  lora: refused([]),
  min_p: honoured(0.1),
  min_tokens: honoured(1),
  mirostat: only(0),
  n_keep: ignored(0, 'prompts are never shortened'),
  n_predict: honoured(4, '-1 = as many as the context holds'),
  n_probs: refused(2, 'use `logprobs`'),
  priority: honoured(1, 'lower first, among your own requests'),
  prompt_logprobs: refused(1, 'use `echo` with `logprobs` on /v1/completions'),
  repeat_last_n: refused(64),
  repeat_penalty: honoured(1.1),
  repetition_penalty: honoured(1.1),
  request_id: ignored('x', 'use the header X-Request-Id'),
  response_fields: refused(['content']),
  return_progress: only(false),
  return_token_ids: only(false),
  return_tokens: only(false),
  return_tokens_as_token_ids: only(false),
  samplers: refused(['top_k']),
  skip_special_tokens: only(true),
  spaces_between_special_tokens: ignored(true, 'answers have no special tokens'),
  stop_token_ids: honoured([5]),
  structured_outputs: honoured({ choice: ['a', 'b'] }),
  t_max_predict_ms: refused(100),
  timings_per_token: only(false),
  top_k: honoured(5),
  top_n_sigma: refused(1),
  truncate_prompt_tokens: refused(5),
  typical_p: only(1),
  use_beam_search: only(false),
  verbose: only(false),
  xtc_probability: only(0),
  guided_choice: honoured(['a', 'b']),
  guided_grammar: { ...honoured('root ::= "a"', schema), engine: true },
  guided_json: { ...honoured({}, schema), engine: true },
  guided_regex: { ...honoured('a', schema), engine: true },
  grammar: { ...honoured('root ::= "a"', schema), engine: true },
  json_schema: { ...honoured({}, schema), engine: true },
}

/** What becomes of fields that no package declares, but documents and sources of these servers do. */
export const habitualSurfaces: readonly HabitualSurface[] = [
  {
    route: '/v1/chat/completions',
    least: { model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] },
    fields: {
      ...both,
      add_generation_prompt: honoured(true),
      chat_template: refused('{{ messages }}'),
      chat_template_kwargs: honoured({ enable_thinking: false }, 'what is about thinking'),
      continue_final_message: honoured(false),
      documents: refused([]),
      enable_thinking: honoured(false),
      mm_processor_kwargs: refused({}),
      parse_tool_calls: refused(false),
      reasoning_format: ignored('auto', '`auto` and `deepseek`'),
      thinking_budget: honoured(5),
      thinking_budget_tokens: honoured(5),
      thinking_token_budget: honoured(5),
    },
  },
  { route: '/v1/completions', least: { model: 'fake-chat', prompt: 'Hi' }, fields: both },
]
