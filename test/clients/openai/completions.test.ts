import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { type HttpService, startHttpService } from '../../support/http-service.ts'
import { readError } from '../../support/read-json.ts'

suite('plain completions', () => {
  let service: HttpService
  let client: OpenAI
  before(async () => {
    service = await startHttpService({ worker: true })
    client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  })
  after(() => service[Symbol.asyncDispose]())

  const model = 'fake-chat'

  test('a prompt is echoed with the log probabilities of its tokens, except the first', async () => {
    const { choices, usage } = await client.completions.create({ model, prompt: 'one two [say three]', echo: true, logprobs: 1 })
    const [choice] = choices
    assert.equal(choice?.text, 'one two [say three]three')
    assert.deepEqual(choice.logprobs, {
      tokens: ['one', ' two', ' [say', ' three]', 'three'],
      token_logprobs: [null, 0, 0, 0, 0],
      top_logprobs: [null, { ' two': 0 }, { ' [say': 0 }, { ' three]': 0 }, { three: 0 }],
      text_offset: [0, 3, 7, 12, 19],
    })
    assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens], [4, 1])
  })

  test('a prompt can be scored without a completion, as evaluation harnesses do', async () => {
    const { choices } = await client.completions.create({ model, prompt: 'one two', echo: true, logprobs: 1, max_tokens: 0 })
    assert.deepEqual([choices[0]?.text, choices[0]?.finish_reason, choices[0]?.logprobs?.tokens], ['one two', 'length', ['one', ' two']])
  })

  test('a stream returns the same text with continuous offsets', async () => {
    const ask = { model, prompt: 'one two [say three four]', echo: true, logprobs: 1 }
    const whole = (await client.completions.create(ask)).choices[0]
    let text = ''
    const offsets: number[] = []
    const scores: unknown[] = []
    for await (const { choices } of await client.completions.create({ ...ask, stream: true })) {
      text += choices[0]?.text ?? ''
      offsets.push(...(choices[0]?.logprobs?.text_offset ?? []))
      scores.push(...(choices[0]?.logprobs?.token_logprobs ?? []))
    }
    assert.deepEqual([text, offsets, scores], [whole?.text, whole?.logprobs?.text_offset, whole?.logprobs?.token_logprobs])
  })

  test('several prompts have choices in their order, and each is recorded', async () => {
    const booked = service.booked.length
    const answer = await client.completions.create({ model, prompt: ['[say a]', '[say b]', '[say c]'], n: 2 })
    assert.deepEqual(
      answer.choices.map(({ index, text }) => [index, text]),
      ['a', 'a', 'b', 'b', 'c', 'c'].map((text, index) => [index, text]),
    )
    assert.deepEqual([answer.usage?.prompt_tokens, answer.usage?.completion_tokens], [6, 6])
    await service.inBooks(booked + 3)
    const streamed: string[] = []
    for await (const { choices } of await client.completions.create({ model, prompt: ['[say a]', '[say b]'], stream: true }))
      for (const { index, text } of choices) streamed[index] = (streamed[index] ?? '') + text
    assert.deepEqual(streamed, ['a', 'b'])
  })

  test('a prompt can be one or several lists of tokens', async () => {
    const one = await client.completions.create({ model, prompt: [5, 6], echo: true, max_tokens: 1 })
    assert.match(one.choices[0]?.text ?? '', /^word5 word6/)
    assert.equal(one.usage?.prompt_tokens, 2)
    const two = await client.completions.create({ model, prompt: [[5, 6], [7]], echo: true, max_tokens: 1 })
    assert.deepEqual(
      two.choices.map(({ text }) => text.startsWith('word5 word6') || text.startsWith('word7')),
      [true, true],
    )
  })

  test('invalid prompts are rejected by name', async () => {
    for (const [fields, param] of [
      [{ prompt: [] }, 'prompt'],
      [{ prompt: ['a', 1] }, 'prompt'],
      [{ prompt: [[1], 'a'] }, 'prompt'],
      [{ prompt: [1, [2]] }, 'prompt'],
      [{ prompt: [[]] }, 'prompt'],
      [{ prompt: [''] }, 'prompt'],
      [{ prompt: [-1] }, 'prompt'],
      [{ prompt: [1.5] }, 'prompt'],
      [{ prompt: { a: 1 } }, 'prompt'],
      [{ prompt: Array.from({ length: 129 }, () => 'a') }, 'prompt'],
      [{ prompt: 'a', max_tokens: 0 }, 'max_tokens'],
      [{ prompt: 'a', max_tokens: -2, echo: true }, 'max_tokens'],
      [{ prompt: 'a', echo: true, logprobs: 21 }, 'logprobs'],
    ] as const) {
      const answer = await service.fetch('/v1/completions', { json: { model, ...fields } })
      const error = await readError(answer)
      assert.ok(answer.status === 400 && error.param?.startsWith(param), `${JSON.stringify(fields).slice(0, 60)}: ${error.message}`)
    }
  })

  test('one overlong prompt rejects all prompts of the request', async () => {
    const long = Array.from({ length: 2000 }, () => 'word').join(' ')
    const answer = await service.fetch('/v1/completions', { json: { model, prompt: ['[say a]', long] } })
    const { code, param } = await readError(answer)
    assert.deepEqual([code, param], ['context_length_exceeded', 'prompt'])
  })
})
