import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { makeTextRequest } from '../../../../test/support/text-request.ts'
import { assertRefused, type ExpectedRefusal } from '../../../../test/support/wire/assert-refused.ts'
import { partsOf, readParts } from '../../../../test/support/wire/text-parts.ts'
import { errorCodes, ServiceError } from '../../../core/error.ts'
import type { TextPart, TextRequest } from '../../../core/text-generation.ts'
import { publishedBodies } from '../chat/sampling-fields.ts'
import { encodeNativeCompletion, encodeNativeStream, nativeCompletionAnswerSchema } from './completion.ts'
import { createNativeCompletionParser } from './completion-request.ts'
import { createInfillParser } from './infill-request.ts'
import { encodeNativeEmbedding, parseNativeEmbedding } from './native-embedding.ts'
import { nativeErrorSchema, toNativeError } from './native-error.ts'
import { createTemplateParser } from './template-request.ts'
import { NativeTimer } from './timings.ts'

const parse = createNativeCompletionParser(publishedBodies)
const accept = (fields: object) => parse({ prompt: 'a', ...fields })
const refuses = (fields: object, expected: ExpectedRefusal) => assertRefused(() => accept(fields), expected)
const most = 2 ** 31 - 1

suite('completions in llama.cpp’s format', () => {
  test('llama-server’s defaults are filled in, and the seed is random', () => {
    const { request, ...rest } = accept({})
    const { seed } = request.sampling
    assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)
    const { model: _, input: __, sampling, ...standard } = makeTextRequest('')
    const ownDefaults = { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05 }
    assert.deepEqual(request, {
      ...standard,
      maxTokens: most,
      maxTokensIsDefault: true,
      sampling: { ...sampling, ...ownDefaults, seed },
    })
    assert.deepEqual(rest, {
      model: undefined,
      prompts: [['a']],
      several: false,
      biases: [],
      delivery: { stream: false, withTokens: false, timingsPerToken: false, fields: null },
    })
  })

  for (const [prompt, prompts, several] of [
    ['', [['']], false],
    [{ prompt_string: 'a' }, [['a']], false],
    [[1, 2], [[1, 2]], false],
    [[1, 'a', 2], [[1, 'a', 2]], false],
    [['a'], [['a']], false],
    [['a', 'b'], [['a'], ['b']], true],
    [[[1, 'a'], 'b', { prompt_string: 'c' }], [[1, 'a'], ['b'], ['c']], true],
    [[[7]], [[7]], false],
  ] as const)
    test(`${JSON.stringify(prompt)} is read as ${prompts.length} prompts`, () => {
      const read = accept({ prompt })
      assert.deepEqual([read.prompts, read.several], [prompts, several])
    })

  for (const [fields, limit] of [
    [{ n_predict: 0 }, { maxTokens: 0, maxTokensIsDefault: undefined }],
    [{ max_tokens: 5 }, { maxTokens: 5, maxTokensIsDefault: undefined }],
    [
      { n_predict: 5, max_tokens: 5 },
      { maxTokens: 5, maxTokensIsDefault: undefined },
    ],
    [{ n_predict: -1 }, { maxTokens: most, maxTokensIsDefault: true }],
  ] as const)
    test(`${JSON.stringify(fields)} generates at most ${limit.maxTokens}`, () => {
      const { maxTokens, maxTokensIsDefault } = accept(fields).request
      assert.deepEqual({ maxTokens, maxTokensIsDefault }, limit)
    })

  for (const [bias, expected] of [
    [
      [
        [5, 1],
        ['ink', -2],
        [7, false],
      ],
      [
        { of: 5, bias: 1 },
        { of: 'ink', bias: -2 },
        { of: 7, bias: -100 },
      ],
    ],
    [
      { '5': 1, ink: false, '007': 2 },
      [
        { of: 5, bias: 1 },
        { of: 'ink', bias: -100 },
        { of: '007', bias: 2 },
      ],
    ],
    [[], []],
  ] as const)
    test(`${JSON.stringify(bias)} changes ${expected.length} scores`, () => assert.deepEqual(accept({ logit_bias: bias }).biases, expected))

  test('the requested settings are used and returned', () => {
    const { request, delivery, model } = accept({
      model: 'm',
      temperature: 0,
      top_k: -1,
      seed: 4_294_967_295,
      repeat_penalty: 1.1,
      n_probs: 3,
      stop: ['x'],
      ignore_eos: true,
      stream: true,
      timings_per_token: true,
      response_fields: ['content'],
    })
    assert.deepEqual(
      [model, request.sampling.topK, request.sampling.seed, request.sampling.repetitionPenalty],
      ['m', 0, 4_294_967_295, 1.1],
    )
    assert.deepEqual([request.topLogprobs, request.stop, request.ending?.ignoreEnd, request.tellsTokens], [3, ['x'], true, true])
    assert.deepEqual(delivery, { stream: true, withTokens: true, timingsPerToken: true, fields: ['content'] })
    assert.deepEqual(accept({ grammar: 'root ::= "a"' }).request.responseFormat, {
      type: 'grammar',
      grammar: 'root ::= "a"',
      field: 'grammar',
    })
  })

  for (const [name, fields, expected] of [
    ['no prompt', { prompt: undefined }, { param: 'prompt' }],
    ['an empty list', { prompt: [] }, { param: 'prompt' }],
    ['tokens beside prompts', { prompt: [1, ['a']] }, { param: 'prompt', says: /mix/ }],
    ['a negative token', { prompt: [-1] }, { param: 'prompt[0]' }],
    ['129 prompts', { prompt: Array(129).fill('a') }, { param: 'prompt', says: /at most 128/ }],
    ['a picture', { prompt: { prompt_string: 'a', multimodal_data: [] } }, { code: 'unsupported_parameter' }],
    ['two limits', { n_predict: 5, max_tokens: 6 }, { param: 'max_tokens', says: /contradicts/ }],
    ['a stream of two', { prompt: ['a', 'b'], stream: true }, { param: 'stream' }],
    ['a bias out of range', { logit_bias: { '5': 101 } }, { param: 'logit_bias[5]' }],
    ['penalties over a part', { repeat_last_n: 64, repeat_penalty: 1.1 }, { code: 'unsupported_parameter', param: 'repeat_last_n' }],
    ['two formats', { grammar: 'root ::= "a"', json_schema: {} }, {}],
    ['a sampler that is not there', { mirostat: 2 }, {}],
    ['21 alternatives', { n_probs: 21 }, { param: 'n_probs' }],
    ['a LoRA without a name', { lora: [{ scale: 1 }] }, { param: 'lora' }],
    ['an unknown field', { samplerz: 1 }, { code: 'unsupported_parameter', param: 'samplerz' }],
  ] as readonly (readonly [string, object, ExpectedRefusal])[])
    test(`${name} is refused`, () => {
      if (expected.code === undefined && expected.param === undefined) assert.throws(() => accept(fields), ServiceError)
      else refuses(fields, expected)
    })

  test('the length of the penalty context is ignored without penalties', () => {
    accept({ repeat_last_n: 64 })
    accept({ repeat_last_n: -1, repeat_penalty: 1.1 })
  })
})

suite('answers in llama.cpp’s format', () => {
  const usage = { promptTokens: 6, completionTokens: 2, cachedTokens: 4 }
  const logprob = { id: 9, token: 'b', bytes: [98], logprob: -1, top: [{ id: 8, token: 'c', bytes: [99], logprob: -2 }] }
  const parts: readonly TextPart[] = [
    { type: 'prompt', usage: { promptTokens: 6, cachedTokens: 4 } },
    { type: 'text', choice: 0, text: 'b\n', tokens: [9], logprobs: [logprob] },
    { type: 'text', choice: 0, text: 'c', tokens: [8] },
    { type: 'choice-finish', choice: 0, reason: 'stop', stop: '###' },
    { type: 'finish', usage },
  ]
  const requested = (fields: Partial<TextRequest> = {}) =>
    makeTextRequest('', { input: { type: 'prompt', prompt: 'a', special: true, echo: false }, topLogprobs: 1, maxTokens: 5, ...fields })
  const delivery = { stream: false, withTokens: true, timingsPerToken: false, fields: null }
  const entry = { id: 9, token: 'b', bytes: [98], logprob: -1, top_logprobs: [{ id: 8, token: 'c', bytes: [99], logprob: -2 }] }

  test('the last event of a stream has all fields of a complete answer except the text', async () => {
    const clock = createTestClock()
    const { events } = await readParts(
      encodeNativeStream(requested(), partsOf(parts), { timer: new NativeTimer(clock), delivery: { ...delivery, stream: true } }),
    )
    const timer = new NativeTimer(clock)
    for (const part of parts) timer.note(part)
    const choice = { text: 'b\nc', thoughts: '', toolCalls: [], logprobs: [logprob], tokens: [9, 8], reason: 'stop', stop: '###' } as const
    const whole = encodeNativeCompletion(requested(), { index: 0, choice, timer }, delivery)
    assert.deepEqual(Compile(nativeCompletionAnswerSchema).Errors(whole), [])
    const { content, tokens, completion_probabilities, generation_settings, ...rest } = Object(whole)
    assert.deepEqual([content, tokens, completion_probabilities], ['b\nc', [9, 8], [entry]])
    const { generation_settings: settings, ...last } = events.at(-1)?.data ?? {}
    assert.deepEqual(last, { ...rest, content: '', tokens: [] })
    assert.deepEqual([settings.stream, generation_settings.stream, settings.n_predict], [true, false, 5])
    assert.deepEqual(
      [last.stop_type, last.stopping_word, last.has_new_line, last.truncated, last.tokens_cached],
      ['word', '###', true, false, 4],
    )
    assert.deepEqual(
      events.slice(0, -1).map(({ data }) => [data.content, data.tokens, data.stop, data.tokens_predicted]),
      [
        ['b\n', [9], false, 1],
        ['c', [8], false, 2],
      ],
    )
    assert.deepEqual(events[0]?.data.completion_probabilities, [entry])
  })

  test('a failure is an event in llama.cpp’s format, and no event reports an end', async () => {
    const failing = encodeNativeStream(requested(), partsOf(parts.slice(0, 2), new ServiceError('server_is_overloaded', 'Wait.')), {
      timer: new NativeTimer(createTestClock()),
      delivery,
    })
    const { events, failed } = await readParts(failing)
    assert.ok(failed)
    assert.deepEqual(events.at(-1)?.data, {
      error: { code: 503, message: 'Wait.', type: 'unavailable_error', param: null, reason: 'server_is_overloaded' },
    })
    assert.ok(events.every(({ data }) => data.stop !== true))
  })

  for (const [reason, stop, completionTokens, expected] of [
    ['length', undefined, 5, ['limit', '', false]],
    ['length', undefined, 3, ['limit', '', true]],
    ['stop', undefined, 3, ['eos', '', false]],
    ['stop', 'x', 3, ['word', 'x', false]],
  ] as const)
    test(`an end by ${reason}${stop === undefined ? '' : ' string'} after ${completionTokens} of 5 tokens is reported as ${expected[0]}, ${expected[2] ? '' : 'not '}truncated`, () => {
      const timer = new NativeTimer(createTestClock())
      timer.note({ type: 'finish', usage: { ...usage, completionTokens } })
      const choice = { text: 'a', thoughts: '', toolCalls: [], logprobs: [], reason, ...(stop !== undefined && { stop }) }
      const { stop_type, stopping_word, truncated } = Object(encodeNativeCompletion(requested(), { index: 0, choice, timer }, delivery))
      assert.deepEqual([stop_type, stopping_word, truncated], expected)
    })

  test('response_fields selects fields by path and skips missing ones', () => {
    const timer = new NativeTimer(createTestClock())
    const choice = { text: 'a', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' } as const
    const fields = ['content', 'generation_settings/n_predict', 'nothing', 'generation_settings/nothing', '__proto__/x']
    const picked = Object(encodeNativeCompletion(requested(), { index: 0, choice, timer }, { ...delivery, fields }))
    assert.equal(picked.content, 'a')
    assert.ok(JSON.stringify(picked).includes('"n_predict":5') || JSON.stringify(picked).includes('n_predict":5'))
    assert.ok(!('index' in picked) && Object(picked).x === undefined)
  })

  test('timings cover the prompt and the answer', async () => {
    const clock = createTestClock()
    const timer = new NativeTimer(clock)
    assert.deepEqual(
      Object.values(timer.timings()).filter((value) => value !== 0),
      [],
    )
    await clock.advance(40)
    timer.note({ type: 'prompt', usage: { promptTokens: 6, cachedTokens: 4 } })
    await clock.advance(100)
    timer.note({ type: 'text', choice: 0, text: 'b', tokens: [1, 2, 3, 4] })
    assert.deepEqual(timer.timings(), {
      cache_n: 4,
      prompt_n: 2,
      prompt_ms: 40,
      prompt_per_token_ms: 20,
      prompt_per_second: 50,
      predicted_n: 4,
      predicted_ms: 100,
      predicted_per_token_ms: 25,
      predicted_per_second: 40,
    })
  })

  test('every error code is returned in llama.cpp’s format, with the HTTP status as its code', () => {
    const fits = Compile(nativeErrorSchema)
    for (const code of errorCodes) {
      const encoded = toNativeError(new ServiceError(code, 'No.', { param: 'x' }))
      assert.deepEqual(fits.Errors(encoded), [])
      assert.equal(encoded.error.reason, code)
    }
    assert.equal(toNativeError(new Error('a secret')).error.reason, 'internal_error')
    assert.ok(!JSON.stringify(toNativeError(new Error('a secret'))).includes('secret'))
    const owner = { ownerSeesCauses: true }
    assert.equal(
      toNativeError(new ServiceError('inference_failed', 'No.', { cause: new Error('why') }), owner).error.cause?.includes('why'),
      true,
    )
  })
})

suite('the other routes in llama.cpp’s format', () => {
  test('an infill request has a prefix, a suffix and extra files', () => {
    const infill = createInfillParser(publishedBodies)
    const gap = { input_prefix: 'a', input_suffix: 'b' }
    const { prompts, gap: read } = infill({ ...gap, prompt: 'c', input_extra: [{ filename: 'x.ts', text: '1' }, { text: '2' }] })
    assert.deepEqual(prompts, [['ac']])
    assert.deepEqual(read, {
      suffix: 'b',
      files: [
        { name: 'x.ts', text: '1' },
        { name: 'tmp', text: '2' },
      ],
    })
    assert.deepEqual(infill(gap).prompts, [['a']])
    assertRefused(() => infill({ input_prefix: 'a' }), { param: 'input_suffix' })
    assertRefused(() => infill({ ...gap, input_extra: [{ filename: 'x' }] }), { param: 'input_extra[0].text' })
    assertRefused(() => infill({ ...gap, prompt: ['a'] }), { param: 'prompt' })
  })

  for (const [body, inputs] of [
    [{ content: 'a' }, ['a']],
    [{ input: ['a', 'b'] }, ['a', 'b']],
    [{ content: [1, 2], embd_normalize: 2 }, [[1, 2]]],
    [{ content: [[1], [2, 3]] }, [[1], [2, 3]]],
  ] as const)
    test(`${JSON.stringify(body)} embeds ${inputs.length} texts`, () =>
      assert.deepEqual(parseNativeEmbedding(body), { model: undefined, inputs, field: 'input' in body ? 'input' : 'content' }))

  for (const [body, param] of [
    [{}, 'content'],
    [{ content: 'a', input: 'b' }, 'input'],
    [{ content: '' }, 'content'],
    [{ content: [] }, 'content'],
    [{ content: 'a', embd_normalize: 1 }, 'embd_normalize'],
  ] as const)
    test(`${JSON.stringify(body)} is refused as an embedding request`, () => assertRefused(() => parseNativeEmbedding(body), { param }))

  test('each vector is in a list of its own, with its index', () => {
    assert.deepEqual(
      encodeNativeEmbedding({
        vectors: [
          [1, 0],
          [0, 1],
        ],
        promptTokens: 4,
      }),
      [
        { index: 0, embedding: [[1, 0]] },
        { index: 1, embedding: [[0, 1]] },
      ],
    )
  })

  test('a template request accepts the fields of a chat, for the named or only model', () => {
    const template = createTemplateParser(publishedBodies, (named) => named ?? 'only')
    const messages = [{ role: 'user', content: 'Hi' }]
    assert.equal(template({ messages }).model, 'only')
    const read = template({ model: 'm', messages, tools: [{ type: 'function', function: { name: 'look' } }], add_generation_prompt: false })
    assert.deepEqual([read.model, read.input.tools.length, read.input.opening], ['m', 1, 'bare'])
    assertRefused(() => template({ messages: [] }), { param: 'messages' })
    assertRefused(() => template({ messages, temperature: 1 }), { code: 'unsupported_parameter', param: 'temperature' })
  })
})
