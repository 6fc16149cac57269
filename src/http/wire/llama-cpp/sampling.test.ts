import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, type ExpectedRefusal } from '../../../../test/support/wire/assert-refused.ts'
import { publishedBodies } from '../chat/sampling-fields.ts'
import { createNativeCompletionParser } from './completion-request.ts'

const parse = createNativeCompletionParser(publishedBodies)
const accept = (fields: object) => parse({ prompt: 'a', ...fields })
const refuses = (fields: object, expected: ExpectedRefusal) => assertRefused(() => accept(fields), expected)

test('SillyTavern’s default settings are accepted; a penalty over no tokens and an empty grammar have no effect', () => {
  const { request, biases } = accept({
    model: 'fake-chat',
    max_new_tokens: 350,
    max_tokens: 350,
    temperature: 1,
    top_p: 0.95,
    typical_p: 1,
    typical: 1,
    min_p: 0.01,
    repetition_penalty: 1.1,
    frequency_penalty: 0,
    presence_penalty: 0,
    top_k: 0,
    skew: 0,
    min_tokens: 0,
    add_bos_token: true,
    smoothing_factor: 0,
    smoothing_curve: 1,
    dry_allowed_length: 2,
    dry_multiplier: 0,
    dry_base: 1.75,
    dry_sequence_breakers: ['\n', ':', '"', '*'],
    dry_penalty_last_n: 0,
    max_tokens_second: 0,
    samplers: ['penalties', 'dry', 'top_n_sigma', 'top_k', 'typ_p', 'tfs_z', 'typical_p', 'xtc', 'top_p', 'min_p', 'temperature'],
    stopping_strings: ['\nUser:'],
    stop: ['\nUser:'],
    truncation_length: 8192,
    ban_eos_token: false,
    skip_special_tokens: true,
    include_reasoning: true,
    top_a: 0,
    tfs: 1,
    mirostat_mode: 0,
    mirostat_tau: 5,
    mirostat_eta: 0.1,
    custom_token_bans: '',
    banned_strings: [],
    api_type: 'llamacpp',
    api_server: 'http://127.0.0.1:8080',
    xtc_threshold: 0.1,
    xtc_probability: 0,
    nsigma: 0,
    top_n_sigma: 0,
    min_keep: 0,
    adaptive_target: -0.01,
    adaptive_decay: 0.9,
    n: 1,
    rep_pen: 1.1,
    rep_pen_range: 0,
    repetition_penalty_range: 0,
    guidance_scale: 1,
    negative_prompt: '',
    repeat_penalty: 1.1,
    repeat_last_n: 0,
    n_predict: 350,
    num_predict: 350,
    num_ctx: 8192,
    mirostat: 0,
    ignore_eos: false,
    rep_pen_slope: 1,
    logit_bias: [],
    grammar: '',
    cache_prompt: true,
    stream: true,
  })
  const { sampling, stop, maxTokens, responseFormat } = request
  assert.deepEqual(
    [sampling.repetitionPenalty, sampling.topK, stop, maxTokens, responseFormat, biases],
    [1, 0, ['\nUser:'], 350, { type: 'text' }, []],
  )
  for (const [field, value] of [
    ['adaptive_target', 0.5],
    ['n', 2],
  ] as const)
    refuses({ [field]: value }, { code: 'invalid_request_error', param: field })
})

test('samplers that are missing from the list are off', () => {
  const { seed: _, ...sampling } = accept({ samplers: ['top_k', 'dry'], repeat_penalty: 1.2, top_k: 5 }).request.sampling
  const off = { temperature: 1, topP: 1, minP: 0, frequencyPenalty: 0, presencePenalty: 0, repetitionPenalty: 1, logitBias: new Map() }
  assert.deepEqual(sampling, { ...off, topK: 5 })
  refuses({ samplers: ['temperature', 'top_k'] }, { code: 'unsupported_parameter', param: 'samplers' })
})
