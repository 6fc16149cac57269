import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { createEncoder, createReranker } from '../support/model-files/encoder-gguf.ts'
import type { ClientTarget } from './client-target.ts'
import { startRealTarget } from './start-real-target.ts'

const system = { role: 'system' as const, content: 'Book' }
const user = (content: string) => ({ role: 'user' as const, content })
const question = user('What is the best book')
const asJson = async (response: Response) => JSON.parse(await response.text())

/** What llama.cpp's tests of its OpenAI surface ask (test_chat_completion.py and the like), in our words; docs/clients.md names those that differ here. */
suite('the published cases of llama.cpp’s server for chats, completions, tokens, embeddings and ranks', () => {
  let target: ClientTarget
  let client: OpenAI
  let model: string
  let stack: AsyncDisposableStack
  before(async () => {
    stack = new AsyncDisposableStack()
    const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'llama-cases-')))
    await writeFile(join(folder.path, 'ranker.gguf'), createReranker().file)
    await writeFile(join(folder.path, 'encoder.gguf'), createEncoder().file)
    target = stack.use(await startRealTarget(['--models', folder.path]))
    client = new OpenAI({ baseURL: `${target.url}/v1`, apiKey: target.token, maxRetries: 0 })
    model = target.chatModel
  })
  after(() => stack.disposeAsync())

  const send = (path: string, body: object) =>
    fetch(`${target.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${target.token}` },
      body: JSON.stringify({ model, ...body }),
    })
  const chat = (fields: object) => send('/chat/completions', { messages: [system, question], max_tokens: 8, temperature: 0, ...fields })
  const textOf = async (fields: object): Promise<string> => {
    const answer = await asJson(await chat(fields))
    assert.ok(answer.choices, JSON.stringify(answer))
    return answer.choices[0].message.content
  }

  test('an answer has its id, its counts and its reason, also at the address without /v1', async () => {
    const answer = await asJson(await chat({}))
    assert.match(answer.id, /cmpl/)
    assert.equal(answer.usage.completion_tokens, 8)
    assert.deepEqual([answer.choices[0].message.role, answer.choices[0].finish_reason], ['assistant', 'length'])
    const parts = await asJson(await chat({ messages: [user('x'), { role: 'user', content: [{ type: 'text', text: 'What is' }] }] }))
    assert.ok(parts.usage.prompt_tokens > 2)
    for (const path of ['/models', '/health'])
      assert.equal((await fetch(`${target.url}${path}`, { headers: { authorization: `Bearer ${target.token}` } })).status, 200)
  })

  test('the cached part of a prompt is reported', async () => {
    const counts: number[][] = []
    for (const content of ['1 2 3 4 5 6', '1 2 3 4 5 6', '1 2 3 4 5 9', '1 2 3 9 9 9']) {
      const { usage } = await asJson(await chat({ messages: [{ role: 'system', content: 'Test' }, user(content)] }))
      counts.push([usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens])
    }
    const [first = [0, 0], second = [0, 0], third = [0, 0], fourth = [0, 0]] = counts
    assert.equal(second[0], first[0])
    assert.ok((second[1] ?? 0) >= (third[1] ?? 0) && (third[1] ?? 0) >= (fourth[1] ?? 0) && (fourth[1] ?? 0) > 0, JSON.stringify(counts))
  })

  test('a stream starts with the role, has one id, and contains the text of the whole answer', async () => {
    const whole = await textOf({ max_tokens: 24 })
    let text = ''
    const ids = new Set<string>()
    const reasons: string[] = []
    const events = (await (await chat({ max_tokens: 24, stream: true, stream_options: { include_usage: true } })).text())
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    for (const [index, { id, choices, usage }] of events.entries()) {
      ids.add(id)
      const [choice] = choices
      if (index === 0) assert.deepEqual([choice.delta.role, choice.delta.content], ['assistant', null])
      text += choice?.delta.content ?? ''
      if (choice?.finish_reason) reasons.push(choice.finish_reason)
      if (choice === undefined) assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0)
    }
    assert.deepEqual([text, ids.size, reasons.length], [whole, 1, 1])
  })

  test('a stream reports its timings on request, except in its first event', async () => {
    const fields = { max_tokens: 10, stream: true, stream_options: { include_usage: true }, timings_per_token: true }
    const events = (await (await chat(fields)).text())
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    assert.ok(!('timings' in events[0]) && events.slice(1).every(({ timings }) => timings.predicted_n <= 10))
    const { choices, timings, usage } = events.at(-1)
    assert.deepEqual([choices, timings.predicted_n, timings.cache_n + timings.prompt_n], [[], usage.completion_tokens, usage.prompt_tokens])
    assert.ok(timings.prompt_per_second >= 0 && timings.predicted_per_second >= 0)
    assert.equal((await chat({ timings_per_token: true })).status, 400)
  })

  test('a last message of the assistant is continued, with the fields of every interface', async () => {
    const messages = [system, question, { role: 'assistant', content: 'The capital of' }]
    const plain = await textOf({ messages })
    assert.equal(await textOf({ messages, add_generation_prompt: false, continue_final_message: true }), plain)
    assert.equal((await chat({ messages, add_generation_prompt: true, continue_final_message: true })).status, 400)
  })

  for (const [format, tokens, expected] of [
    [{ type: 'json_object', schema: { const: '42' } }, 6, /^"42"/],
    [{ type: 'json_object', schema: { items: [{ type: 'integer' }] } }, 10, /^\[/],
    [{ type: 'json_schema', json_schema: { schema: { const: 'foooooo' } } }, 10, /^"fo+"?/],
    [{ type: 'json_object' }, 10, /^\s*\{/],
    [{ type: 'sound' }, 1, null],
    [{ type: 'json_object', schema: 123 }, 1, null],
    [{ type: 'json_object', schema: { type: 123 } }, 1, null],
    [{ type: 'json_object', schema: { type: 'hiccup' } }, 1, null],
  ] as const)
    test(`an answer of the format ${JSON.stringify(format)}`, async () => {
      const answer = await chat({ max_tokens: tokens, response_format: format })
      const body = await asJson(answer)
      if (expected === null) assert.deepEqual([answer.status, typeof body.error.message], [400, 'string'])
      else assert.match(body.choices?.[0].message.content ?? JSON.stringify(body), expected)
    })

  test('a schema or a grammar can be in its own field, and a broken one is rejected', async () => {
    assert.match(await textOf({ max_tokens: 6, json_schema: { const: '42' } }), /^"42"/)
    assert.equal(await textOf({ max_tokens: 6, grammar: 'root ::= "a"{5,5}' }), 'aaaaa')
    assert.equal((await chat({ grammar: 'root ::= this is (not valid GBNF' })).status, 400)
  })

  for (const messages of [null, 'string', [123], [{}], [{ role: 123 }], [{ role: 'system', content: 123 }], [system, {}]])
    test(`invalid messages are rejected: ${JSON.stringify(messages)}`, async () => {
      const answer = await chat({ messages })
      assert.equal(answer.status, 400)
      assert.ok((await asJson(answer)).error)
    })

  test('log probabilities are those of the text, whole and streamed', async () => {
    const ask = { model, temperature: 0, messages: [system, question], max_tokens: 5, logprobs: true, top_logprobs: 10 }
    const { choices } = await client.chat.completions.create(ask)
    const tokens = choices[0]?.logprobs?.content ?? []
    assert.equal(tokens.map(({ token }) => token).join(''), choices[0]?.message.content)
    for (const { logprob, bytes, top_logprobs: top } of tokens) assert.ok(logprob <= 0 && bytes !== null && top.length === 10)
    let text = ''
    let joined = ''
    for await (const chunk of await client.chat.completions.create({ ...ask, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
      joined += (chunk.choices[0]?.logprobs?.content ?? []).map(({ token }) => token).join('')
    }
    assert.equal(joined, text)
  })

  test('tokens with a strong negative bias are not generated', async () => {
    const excluded = ['the', 'The', 'is', 'a', 'to', 'and', 'of']
    const { tokens } = await asJson(await send('/tokenize', { content: ` ${excluded.join(' ')} ` }))
    const text = await textOf({ max_tokens: 64, logit_bias: Object.fromEntries(tokens.map((token: number) => [token, -100])) })
    assert.ok(text.length > 0 && excluded.every((word) => !text.includes(` ${word} `)), text)
  })

  test('a prompt over the context is rejected with both numbers, before a stream starts', async () => {
    const messages = Array.from({ length: 400 }, () => [system, question]).flat()
    for (const stream of [false, true]) {
      const answer = await chat({ messages, stream })
      const { error } = await asJson(answer)
      assert.deepEqual([answer.status, error.code], [400, 'context_length_exceeded'])
      assert.match(error.message, /\d+ tokens .* \d+/)
    }
  })

  test('several choices share a prompt, also with a named slot', async () => {
    for (let round = 0; round < 2; round++) {
      const { choices } = await asJson(await chat({ n: 2, id_slot: 0 }))
      assert.deepEqual(
        choices.map(({ message }: { message: { role: string } }) => message.role),
        ['assistant', 'assistant'],
      )
    }
  })

  test('the tokens of a conversation are counted', async () => {
    for (let round = 0; round < 2; round++)
      assert.ok((await asJson(await send('/v1/chat/completions/input_tokens', { messages: [system, question] }))).input_tokens > 5)
  })

  test('a text becomes tokens and a text again, with the spelling of each token', async () => {
    const content = 'What is the capital of France ?'
    const { tokens } = await asJson(await send('/tokenize', { content }))
    assert.ok(tokens.length > 5)
    assert.equal((await asJson(await send('/detokenize', { tokens }))).content.trim(), content)
    const pieces = await asJson(await send('/tokenize', { content: 'a test string with unicode 媽 and emoji 🤗', with_pieces: true }))
    for (const { id, piece } of pieces.tokens) assert.ok(id > 0 && piece.length > 0)
  })

  test('plain completions: streamed or whole, by text or by tokens, one or several, the same for a seed', async () => {
    const prompt = 'I believe the meaning of life is'
    const ask = { model, prompt, max_tokens: 8, seed: 42 }
    const whole = (await client.completions.create(ask)).choices[0]
    assert.ok(whole !== undefined && whole.text.length > 0)
    let text = ''
    for await (const { choices } of await client.completions.create({ ...ask, stream: true })) text += choices[0]?.text ?? ''
    assert.equal(text, whole.text)
    const drawn = await Promise.all(
      [1, 2, 3].map(async (seed) => (await client.completions.create({ ...ask, seed, max_tokens: 24 })).choices[0]?.text),
    )
    assert.equal(new Set(drawn).size, 3)
    const { tokens } = await asJson(await send('/tokenize', { prompt }))
    const greedy = { ...ask, temperature: 0 }
    const said = (await client.completions.create(greedy)).choices[0]?.text
    assert.equal((await client.completions.create({ ...greedy, prompt: tokens })).choices[0]?.text, said)
    const several = await client.completions.create({ ...greedy, prompt: [tokens, tokens] })
    assert.deepEqual(
      several.choices.map((choice) => choice.text),
      [said, said],
    )
  })

  test('embeddings have unit length, the same in every list, exact counts, and base64 on request', async () => {
    const embed = async (fields: object) => asJson(await send('/v1/embeddings', { model: 'encoder', ...fields }))
    const { data, usage } = await embed({ input: 'fox runs far' })
    const [one] = data
    assert.ok(Math.abs(one.embedding.reduce((sum: number, value: number) => sum + value * value, 0) - 1) < 1e-3)
    assert.deepEqual([usage.prompt_tokens, usage.total_tokens], [5, 5])
    const many = await embed({ input: ['fox runs far', 'fox runs far', 'dog'] })
    assert.deepEqual([many.data[0].embedding, many.usage.prompt_tokens], [many.data[1].embedding, 13])
    const { data: packed } = await embed({ input: 'fox runs far', encoding_format: 'base64' })
    const bytes = Buffer.from(packed[0].embedding, 'base64')
    const floats = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index))
    assert.ok(floats.every((value, index) => Math.abs(value - one.embedding[index]) < 1e-3))
  })

  test('documents are ranked, in both shapes, with exact counts and the requested number', async () => {
    const documents = ['far', 'the dog runs far', 'fox', 'dog the the']
    const rank = async (fields: object) => asJson(await send('/rerank', { model: undefined, query: 'the fox runs', ...fields }))
    const { results, usage } = await rank({ documents })
    assert.deepEqual(results.map(({ index }: { index: number }) => index).toSorted(), [0, 1, 2, 3])
    const scores = results.map(({ relevance_score: score }: { relevance_score: number }) => score)
    assert.deepEqual(
      scores,
      scores.toSorted((a: number, b: number) => b - a),
    )
    assert.ok(scores[0] > scores[3])
    assert.deepEqual([usage.prompt_tokens, usage.total_tokens], [29, 29])
    const tei = await rank({ texts: documents })
    assert.deepEqual(
      tei.map(({ score }: { score: number }) => score),
      scores,
    )
    for (const [top_n, expected] of [
      [2, 2],
      [4, 4],
      [99, 4],
    ]) {
      assert.equal((await rank({ documents, top_n })).results.length, expected)
      assert.equal((await rank({ texts: documents, top_n })).length, expected)
    }
  })
})
