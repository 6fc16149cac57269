import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError } from '../support/read-json.ts'

suite("llama.cpp's own routes", () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ worker: true })
  })
  after(() => service[Symbol.asyncDispose]())

  const model = 'fake-chat'
  const send = (path: string, body: unknown, headers: Record<string, string> = { 'x-api-key': service.token }) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const readRefusal = async (answer: Response, status: number) => {
    assert.equal(answer.status, status)
    return readError(answer)
  }
  const ask = async (path: string, body: object) => JSON.parse(await (await send(path, { model, ...body })).text())

  test('a completion returns its settings, its times and its stop reason', async () => {
    for (const path of ['/completion', '/completions']) {
      const answer = await ask(path, { prompt: 'one two [say three four]', n_predict: 1, seed: 7, return_tokens: true, n_probs: 1 })
      assert.deepEqual(
        [answer.content, answer.stop, answer.stop_type, answer.stopping_word, answer.truncated, answer.has_new_line, answer.index],
        ['three', true, 'limit', '', false, false, 0],
      )
      assert.deepEqual([answer.tokens_evaluated, answer.tokens_predicted, answer.tokens.length], [5, 1, 1])
      assert.deepEqual([answer.timings.prompt_n, answer.timings.cache_n, answer.timings.predicted_n], [5, 0, 1])
      const { n_predict, temperature, top_k, top_p, min_p, seed, n_probs, stream } = answer.generation_settings
      assert.deepEqual([n_predict, temperature, top_k, top_p, min_p, seed, n_probs, stream], [1, 0.8, 40, 0.95, 0.05, 7, 1, false])
      const [{ id, token, top_logprobs: top }] = answer.completion_probabilities
      assert.deepEqual([id, token, top[0].token], [answer.tokens[0], 'three', 'three'])
      assert.equal(answer.prompt, 'one two [say three four]')
    }
  })

  test('the answer names the stop string that ended the text, or its natural end', async () => {
    const word = await ask('/completion', { prompt: '[say one two three]', stop: [' two'] })
    assert.deepEqual([word.content, word.stop_type, word.stopping_word], ['one', 'word', ' two'])
    const own = await ask('/completion', { prompt: '[say one\ntwo]' })
    assert.deepEqual([own.stop_type, own.has_new_line, own.tokens, 'completion_probabilities' in own], ['eos', true, [], false])
    assert.equal(own.generation_settings.n_predict, -1)
  })

  test('a stream returns the same text piece by piece, with tokens, and ends without [DONE]', async () => {
    const answer = await send('/completion', { model, prompt: '[say one two three]', stream: true, timings_per_token: true })
    assert.match(answer.headers.get('content-type') ?? '', /event-stream/)
    const text = await answer.text()
    assert.ok(!text.includes('[DONE]'))
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
    const pieces = events.slice(0, -1)
    assert.deepEqual(
      pieces.map(({ content, stop, tokens, timings }) => [content, stop, tokens.length, timings.predicted_n]),
      [
        ['one', false, 1, 1],
        [' two', false, 1, 2],
        [' three', false, 1, 3],
      ],
    )
    const last = events.at(-1)
    assert.deepEqual([last.content, last.stop, last.stop_type, last.tokens_predicted], ['', true, 'eos', 3])
  })

  test('a prompt is a text, tokens, a mixture or a list of these, which returns a list', async () => {
    const requested = [[5, 6], '[say b]', { prompt_string: '[say c]' }]
    const several = await ask('/completion', { prompt: requested, n_predict: 2 })
    assert.deepEqual(
      several.map(({ index, prompt }: { index: number; prompt: unknown }) => [index, prompt]),
      [
        [0, [5, 6]],
        [1, '[say b]'],
        [2, '[say c]'],
      ],
    )
    assert.equal((await ask('/completion', { prompt: ['[say a]'] })).content, 'a')
    const { tokens } = await ask('/tokenize', { content: 'ink paper' })
    assert.deepEqual((await ask('/completion', { prompt: [1, 'ink paper', 2], n_predict: 1 })).prompt, [1, ...tokens, 2])
    assert.deepEqual((await ask('/completion', { prompt: [[1, 'ink'], 'x'], n_predict: 1 }))[0].prompt, [1, tokens[0]])
  })

  test('token scores can be changed by token or by text', async () => {
    const { tokens } = await ask('/tokenize', { content: 'ink paper' })
    const biased = async (logit_bias: unknown) =>
      (await ask('/completion', { prompt: 'x', n_predict: 1, logit_bias })).generation_settings.logit_bias
    assert.deepEqual(
      await biased([
        ['ink paper', -2],
        [5, false],
      ]),
      [...tokens.map((token: number) => ({ token, bias: -2 })), { token: 5, bias: -100 }],
    )
    assert.deepEqual(await biased({ 5: 1, ink: -1 }), [
      { token: 5, bias: 1 },
      { token: tokens[0], bias: -1 },
    ])
  })

  test('only the requested fields are returned', async () => {
    const response_fields = ['content', 'generation_settings/n_predict', 'prompt', 'timings/none', '__proto__']
    const answer = await ask('/completion', { prompt: '[say a]', n_predict: 3, response_fields })
    assert.deepEqual(answer, { content: 'a', 'generation_settings/n_predict': 3, prompt: '[say a]' })
    assert.ok('timings' in (await ask('/completion', { prompt: '[say a]', response_fields: [] })))
  })

  test('a prompt is only read if nothing is to be predicted', async () => {
    const answer = await ask('/completion', { prompt: 'one two', n_predict: 0 })
    assert.deepEqual([answer.content, answer.tokens_predicted, answer.tokens_evaluated], ['', 0, 2])
  })

  test('a gap is filled', async () => {
    const gap = { input_prefix: 'a ', input_suffix: ' b', input_extra: [{ filename: 'c.ts', text: 'c' }, { text: 'd' }] }
    assert.equal((await ask('/infill', { ...gap, prompt: '[say between]' })).content, 'between')
    for (const input_extra of [
      [{}],
      [{ filename: 'ok' }],
      [{ filename: 123 }],
      [{ filename: 123, text: 'abc' }],
      [{ filename: 123, text: 456 }],
    ])
      assert.equal((await send('/infill', { model, ...gap, input_extra })).status, 400)
    assert.equal((await readError(await send('/infill', { model, input_prefix: 'a' }))).param, 'input_suffix')
  })

  test('texts are embedded, each as a list of one vector', async () => {
    for (const path of ['/embedding', '/embeddings']) {
      const [one] = await ask(path, { content: 'fox' })
      assert.equal(one.embedding.length, 1)
      const two = await ask(path, { input: ['fox', [5, 6]] })
      assert.deepEqual([two[0].embedding, two.map(({ index }: { index: number }) => index)], [one.embedding, [0, 1]])
    }
    for (const body of [
      {},
      { content: 'a', input: 'b' },
      { content: '' },
      { content: [] },
      { content: [1, 'a'] },
      { content: 'a', embd_normalize: 0 },
    ])
      assert.equal((await send('/embedding', { model, ...body })).status, 400, JSON.stringify(body))
  })

  test('a conversation is formatted with the template of its model', async () => {
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
    ]
    assert.deepEqual(await ask('/apply-template', { messages }), { prompt: 'Be kind. Hi' })
    assert.equal((await send('/apply-template', { model, messages: [] })).status, 400)
  })

  test('current settings and busy slots are reported', async () => {
    const look = async (path: string) => {
      const answer = await fetch(`${service.url}${path}`, { headers: { 'x-api-key': service.token } })
      assert.equal(answer.status, 200, path)
      return JSON.parse(await answer.text())
    }
    await ask('/completion', { prompt: 'x', n_predict: 1 })
    const props = await look(`/props?model=${model}`)
    assert.deepEqual([props.model_alias, props.default_generation_settings.n_ctx, props.modalities.vision], [model, 1024, false])
    const slots = await look(`/slots?model=${model}`)
    assert.equal(slots.length, props.total_slots)
    assert.ok(slots.every(({ n_ctx, is_processing }: { n_ctx: number; is_processing: boolean }) => n_ctx === 1024 && !is_processing))
    assert.deepEqual(await look('/lora-adapters?model=fake-chat'), [])
    assert.equal((await fetch(`${service.url}/props?model=nope`, { headers: { 'x-api-key': service.token } })).status, 404)
  })

  for (const [path, named] of [
    ['/slots/0?action=save', 'slots'],
    ['/slots/0?action=erase', 'slots'],
    ['/props', 'props'],
    ['/lora-adapters', 'lora-adapters'],
  ] as const)
    test(`POST ${path} is rejected by name`, async () => {
      for (const init of [{}, { body: '{}', headers: { 'content-type': 'application/json' } }] as const) {
        const headers = { 'x-api-key': service.token, ...init.headers }
        const { error } = JSON.parse(await (await fetch(`${service.url}${path}`, { method: 'POST', ...init, headers })).text())
        assert.deepEqual([error.code, error.reason], [400, 'unsupported_parameter'])
        assert.ok(error.message.includes(named))
      }
    })

  for (const [field, body] of [
    ['temperature', { temperature: 2.5 }],
    ['mirostat', { mirostat: 2 }],
    ['n_probs', { n_probs: 21 }],
    ['samplers', { samplers: ['temperature', 'top_k'] }],
    ['repeat_last_n', { repeat_last_n: 64, repeat_penalty: 1.1 }],
    ['max_tokens', { max_tokens: 3, n_predict: 4 }],
    ['prompt', { prompt: [1, [2]] }],
    ['prompt', { prompt: [] }],
    ['prompt', { prompt: Array.from({ length: 1025 }, () => [1, 'a']).flat() }],
    ['prompt', { prompt: { prompt_string: 'a', multimodal_data: ['x'] } }],
    ['prompt', { prompt: undefined }],
    ['stream', { prompt: ['a', 'b'], stream: true }],
    ['logit_bias', { logit_bias: [[5]] }],
    ['lora', { lora: [{ id: 0, scale: 1 }] }],
    ['seed', { seed: -2 }],
    ['n_predict', { n_predict: -2 }],
    ['grammar', { grammar: 'root ::= "a"', json_schema: {} }],
  ] as const)
    test(`${field} is rejected in ${JSON.stringify(body)}`, async () => {
      const { message } = await readRefusal(await send('/completion', { model, prompt: 'x', ...body }), 400)
      assert.ok(message.includes(field), message)
    })

  test('errors have a number as code, and the code of other routes as reason', async () => {
    for (const [path, body, code, type, reason] of [
      ['/completion', { model, prompt: 5 }, 400, 'invalid_request_error', 'invalid_request_error'],
      ['/completions', { model: 'none', prompt: 'x' }, 404, 'not_found_error', 'model_not_found'],
      ['/slots/0?action=erase', {}, 400, 'invalid_request_error', 'unsupported_parameter'],
      ['/tokenize', { model }, 400, 'invalid_request_error', 'invalid_request_error'],
      ['/completion', { model, prompt: '[fail context_length_exceeded]' }, 400, 'exceed_context_size_error', 'context_length_exceeded'],
      ['/completion', { model, prompt: '[fail server_is_overloaded]' }, 503, 'unavailable_error', 'server_is_overloaded'],
      ['/completion', { model, prompt: '[fail inference_failed]' }, 500, 'server_error', 'inference_failed'],
    ] as const) {
      const answer = await send(path, body)
      const { error, ...more } = JSON.parse(await answer.text())
      assert.deepEqual([answer.status, error.code, error.type, error.reason, more], [code, code, type, reason, {}], path)
      assert.match(error.message, /\.$/)
    }
    const broken = await send('/completion', { model, prompt: '[say a b] [fail inference_failed after 2]', stream: true })
    const events = (await broken.text()).split('\n\n').filter((event) => event !== '')
    const { error } = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '')
    assert.deepEqual([error.code, error.reason], [500, 'inference_failed'])
    const { error: theirs } = JSON.parse(await (await send('/v1/completions', {}, { authorization: `Bearer ${service.token}` })).text())
    assert.equal(theirs.code, 'invalid_request_error')
  })

  test('a token with the scope for text is required, as bearer token or key', async () => {
    const body = { model, prompt: '[say a]' }
    for (const headers of [{}, { 'x-api-key': 'nope' }, { authorization: 'Bearer nope' }]) {
      const { type } = await readRefusal(await send('/completion', body, headers), 401)
      assert.equal(type, 'authentication_error')
    }
    assert.equal((await send('/completion', body, { authorization: `Bearer ${service.token}` })).status, 200)
    assert.equal((await send('/v1/completions', body, {})).status, 401)
  })
})
