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
const schema = 'by models with weights; servers behind other models may not support it'

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
  lora: honoured([], 'as in /completion'),
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

const off = 'what it belongs to is switched off'

/** Of llama.cpp's own routes that make text. */
const nativeFields = {
  cache_prompt: ignored(true, hint),
  dry_allowed_length: ignored(2, off),
  dry_base: ignored(1.75, off),
  dry_multiplier: only(0),
  dry_penalty_last_n: ignored(-1, off),
  dry_sequence_breakers: ignored(['\\n'], off),
  dynatemp_exponent: ignored(1, off),
  dynatemp_range: only(0),
  frequency_penalty: honoured(0.5),
  grammar: { ...honoured('root ::= "a"', schema), engine: true },
  id_slot: ignored(-1, hint),
  ignore_eos: honoured(true),
  json_schema: { ...honoured({}, schema), engine: true },
  logit_bias: honoured(
    [
      [5, -1],
      [' the', false],
    ],
    'by token or by text',
  ),
  lora: honoured([], 'by `name`, or by `id` as in /lora-adapters'),
  max_tokens: honoured(4),
  min_keep: only(0),
  min_p: honoured(0.1),
  min_tokens: honoured(1),
  mirostat: only(0),
  mirostat_eta: ignored(0.1, off),
  mirostat_tau: ignored(5, off),
  multimodal_data: refused([]),
  n_cmpl: refused(2, 'send the prompt several times in a list'),
  n_discard: ignored(0, 'prompts are never shortened'),
  n_indent: only(0),
  n_keep: ignored(0, 'prompts are never shortened'),
  n_predict: honoured(4, '-1 = as many as the context holds, 0 = the prompt is only read'),
  n_probs: honoured(2, 'up to 20'),
  post_sampling_probs: only(false),
  presence_penalty: honoured(0.5),
  repeat_last_n: honoured(-1, '-1, which is the whole context, or 0 for no penalties; another number only without penalties'),
  repeat_penalty: honoured(1.1),
  response_fields: honoured(['content']),
  return_progress: only(false),
  return_tokens: honoured(true),
  samplers: honoured(['top_k'], 'those that are left out are off; their order is fixed'),
  seed: honoured(7, '-1 = random'),
  stop: honoured(['x']),
  stream: honoured(true, 'of one prompt'),
  t_max_predict_ms: only(0),
  temperature: honoured(0.5, '0 to 2'),
  timings_per_token: honoured(true),
  top_k: honoured(5),
  top_n_sigma: ignored(-1, '`-1` and `0` only; other values are refused by name'),
  top_p: honoured(0.9),
  typical_p: only(1),
  xtc_probability: only(0),
  xtc_threshold: ignored(0.1, off),
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
      reasoning: honoured({ effort: 'none' }, 'as in OpenRouter’s interface'),
      reasoning_format: ignored('auto', '`auto` and `deepseek`'),
      thinking: honoured({ type: 'disabled' }, 'as in the interfaces of DeepSeek, GLM and Kimi'),
      thinking_budget: honoured(5),
      thinking_budget_tokens: honoured(5),
      thinking_token_budget: honoured(5),
      timings_per_token: honoured(true, 'in streams', { stream: true }),
    },
  },
  { route: '/v1/completions', least: { model: 'fake-chat', prompt: 'Hi' }, fields: both },
  {
    route: '/completion',
    least: { model: 'fake-chat', prompt: 'Hi' },
    fields: { ...nativeFields, prompt: honoured('Hi', 'text, tokens, both mixed, or a list of these') },
  },
  {
    route: '/infill',
    least: { model: 'fake-chat', input_prefix: 'a', input_suffix: 'b' },
    fields: {
      ...nativeFields,
      input_prefix: honoured('a', 'by models whose file names tokens for gaps'),
      input_suffix: honoured('b'),
      input_extra: honoured([{ filename: 'a.ts', text: 'a' }]),
      prompt: honoured('a'),
    },
  },
  {
    route: '/embedding',
    least: { model: 'fake-chat', content: 'Hi' },
    fields: {
      content: honoured('Hi', 'or `input`'),
      embd_normalize: only(2),
      encoding_format: refused('base64', 'use /v1/embeddings'),
    },
  },
  {
    route: '/apply-template',
    least: { model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] },
    fields: {
      messages: honoured([{ role: 'user', content: 'Hi' }]),
      tools: honoured([]),
      add_generation_prompt: honoured(true),
      chat_template_kwargs: honoured({ enable_thinking: false }, 'what is about thinking'),
      chat_template: refused('{{ messages }}'),
    },
  },
]
