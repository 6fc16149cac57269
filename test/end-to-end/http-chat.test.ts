import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

suite('chat completions', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  const ask = (content: string, fields: object = {}, headers: Record<string, string> = {}) =>
    service.fetch('/v1/chat/completions', { json: { model: 'fake-chat', messages: [{ role: 'user', content }], ...fields }, headers })

  test('an answer has exactly the fields of the contract', async () => {
    const answer = await ask('Say it [say one two three]')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    const { id, created, ...rest } = await readJson(answer)
    assert.match(String(id), /^cmpl-[0-9a-f]{32}$/)
    assert.ok(Number.isInteger(created) && Math.abs(Number(created) - Date.now() / 1000) < 60)
    assert.deepEqual(rest, {
      object: 'chat.completion',
      model: 'fake-chat',
      system_fingerprint: null,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'one two three', function_call: null }, delta: null, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 6, completion_tokens: 3, total_tokens: 9, prompt_tokens_details: { cached_tokens: 0 } },
    })
  })

  test('a stream consists of data lines in the order of the contract', async () => {
    const answer = await ask('Say it [say one two]', { stream: true, stream_options: { include_usage: true } })
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
    const text = await answer.text()
    const events = text.split('\n\n')
    assert.equal(events.pop(), '')
    assert.equal(events.pop(), 'data: [DONE]')
    const chunks = events.map((event) => {
      assert.match(event, /^data: \{[ -~]*\}$/)
      return JSON.parse(event.slice('data: '.length))
    })
    const [{ id, created }] = chunks
    assert.match(id, /^cmpl-[0-9a-f]{32}$/)
    const chunk = (content: string | null, finish_reason: string | null = null) => ({
      id,
      object: 'chat.completion.chunk',
      created,
      model: 'fake-chat',
      choices: [{ index: 0, delta: { role: 'assistant', content, function_call: null }, finish_reason }],
    })
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, prompt_tokens_details: { cached_tokens: 0 } }
    assert.deepEqual(chunks, [chunk(null), chunk('one'), chunk(' two'), chunk('', 'stop'), { ...chunk(''), choices: [], usage }])
  })

  test('streamed text equals the whole answer for the same seed, also with several choices', async () => {
    for (const n of [1, 3]) {
      const whole = await readJson(await ask('Hello', { seed: 5, n, max_tokens: 6 }))
      const stream = await (await ask('Hello', { seed: 5, n, max_tokens: 6, stream: true })).text()
      const texts: string[] = []
      const reasons: string[] = []
      for (const line of stream.split('\n\n').filter((event) => event.startsWith('data: {'))) {
        for (const { index, delta, finish_reason } of JSON.parse(line.slice(6)).choices) {
          texts[index] = (texts[index] ?? '') + (delta.content ?? '')
          if (finish_reason !== null) reasons[index] = finish_reason
        }
      }
      const choices: { message: { content: string }; finish_reason: string }[] = JSON.parse(JSON.stringify(whole.choices))
      assert.deepEqual(
        texts,
        choices.map(({ message }) => message.content),
      )
      assert.deepEqual(reasons, Array(n).fill('length'))
    }
  })

  test("text that could break a client's decoder is escaped in streams", async () => {
    const stream = await (await ask('[say é 巴黎 🐯 \u2028 \u0085.]', { stream: true })).text()
    assert.match(stream, /^[\n -~]*$/)
    assert.match(stream, /\\u00e9/)
  })

  test('log probabilities are returned only on request', async () => {
    const { choices } = await readJson(await ask('[say hi]', { logprobs: true, top_logprobs: 1 }))
    const entry = { token: 'hi', logprob: 0, bytes: [104, 105] }
    assert.deepEqual(JSON.parse(JSON.stringify(choices))[0].logprobs, { content: [{ ...entry, top_logprobs: [entry] }] })
    const stream = await (await ask('[say hi]', { logprobs: true, stream: true })).text()
    assert.match(stream, /"logprobs":\{"content":\[\{"token":"hi"/)
  })

  test('tool calls are returned whole and in fragments', async () => {
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }]
    const { choices } = await readJson(await ask('[call look_up]', { tools }))
    assert.deepEqual(choices, [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          function_call: null,
          tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'look_up', arguments: '{}' } }],
        },
        delta: null,
        finish_reason: 'tool_calls',
      },
    ])
    const stream = await (await ask('[call look_up]', { tools, stream: true })).text()
    assert.match(stream, /"tool_calls":\[\{"index":0,"id":"call_0","type":"function","function":\{"name":"look_up","arguments":""\}\}\]/)
    assert.match(stream, /"tool_calls":\[\{"index":0,"function":\{"arguments":"\{"\}\}\]/)
    assert.match(stream, /"finish_reason":"tool_calls"/)
  })

  test('a prompt over the context is rejected with both numbers, as JSON even for a stream', async () => {
    for (const stream of [false, true]) {
      const answer = await ask('word '.repeat(2000), { stream })
      assert.equal(answer.status, 400)
      const error = await readError(answer)
      assert.equal(error.code, 'context_length_exceeded')
      assert.match(error.message, /2000.*1024/)
    }
  })

  test('an unknown model is 404 with the existing names', async () => {
    for (const model of ['nobody', 'fake-image']) {
      const answer = await ask('Hi', { model })
      assert.equal(answer.status, 404)
      const error = await readError(answer)
      assert.equal(error.code, 'model_not_found')
      assert.equal(error.param, 'model')
      assert.match(error.message, /use one of: fake-chat/)
    }
  })

  test('plain completions are returned as JSON and as a stream', async () => {
    const post = (fields: object) => service.fetch('/v1/completions', { json: { model: 'fake-chat', prompt: '[say one two]', ...fields } })
    const { id, created, ...rest } = await readJson(await post({}))
    assert.match(String(id), /^cmpl-/)
    assert.ok(Number.isInteger(created))
    assert.deepEqual(rest, {
      object: 'text_completion',
      model: 'fake-chat',
      system_fingerprint: null,
      choices: [{ index: 0, text: 'one two', logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, prompt_tokens_details: { cached_tokens: 0 } },
    })
    const stream = await (await post({ stream: true, stream_options: { include_usage: true }, logprobs: 0 })).text()
    assert.match(
      stream,
      /"text":" two","logprobs":\{"tokens":\[" two"\],"token_logprobs":\[0\],"top_logprobs":\[\{\}\],"text_offset":\[3\]\}/,
    )
    assert.match(stream, /"choices":\[\],"usage":\{"prompt_tokens":3/)
    assert.match(stream, /\n\ndata: \[DONE\]\n\n$/)
  })

  test('embeddings are returned as numbers or as base64 of the same numbers', async () => {
    const post = async (fields: object) => readJson(await service.fetch('/v1/embeddings', { json: { model: 'fake-chat', ...fields } }))
    const whole = await post({ input: ['one', 'two words'] })
    assert.deepEqual(whole.usage, { prompt_tokens: 3, total_tokens: 3 })
    const data: { index: number; embedding: number[] }[] = JSON.parse(JSON.stringify(whole.data))
    assert.deepEqual(
      data.map(({ index }) => index),
      [0, 1],
    )
    const packed = await post({ input: 'one', encoding_format: 'base64' })
    const [first]: { embedding: string }[] = JSON.parse(JSON.stringify(packed.data))
    const bytes = Buffer.from(first?.embedding ?? '', 'base64')
    assert.equal(bytes.length, 32)
    assert.ok(Math.abs(bytes.readFloatLE(0) - Number(data[0]?.embedding[0])) < 1e-6)
  })

  test('every finished request is recorded', async () => {
    await using own = await startHttpService()
    await own.fetch('/v1/chat/completions', { json: { model: 'fake-chat', messages: [{ role: 'user', content: '[say one two]' }] } })
    await own.fetch('/v1/chat/completions', {
      json: { model: 'fake-chat', messages: [{ role: 'user', content: '[fail inference_failed]' }] },
    })
    await own.fetch('/generate/sdxl', { json: { prompt: 'a tiger', num_images: 2 } })
    assert.deepEqual(
      own.booked.map(({ kind, outcome, completionTokens, images }) => [kind, outcome, completionTokens, images]),
      [
        ['chat', 'succeeded', 2, 0],
        ['chat', 'failed', 0, 0],
        ['image', 'succeeded', 0, 2],
      ],
    )
  })
})
