import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

const messages = [{ role: 'user', content: 'one two three' }]

async function post(service: HttpService, path: string, json: object): Promise<Record<string, unknown>> {
  return readJson(await service.fetch(path, { json }))
}

suite('tokens over HTTP', () => {
  test('a text is answered in the format of the request', async () => {
    await using service = await startHttpService()
    const { tokens, ...rest } = await post(service, '/tokenize', { content: 'one two' })
    assert.deepEqual(rest, {})
    assert.ok(Array.isArray(tokens) && tokens.length === 2)
    const [one, two] = tokens
    assert.deepEqual(await post(service, '/tokenize', { content: 'one two', with_pieces: true }), {
      tokens: [
        { id: one, piece: 'one' },
        { id: two, piece: 'two' },
      ],
    })
    const counted = await post(service, '/tokenize', { prompt: 'one two', return_token_strs: true })
    assert.deepEqual(counted, { count: 2, max_model_len: 1024, tokens, token_strs: ['one', 'two'] })
    assert.equal((await post(service, '/tokenize', { messages })).count, 3)
    const { content, prompt } = await post(service, '/detokenize', { tokens: [1, 2] })
    assert.ok(typeof content === 'string' && content === prompt)
  })

  test('the tokens of a conversation are counted as for its answer', async () => {
    await using service = await startHttpService()
    const chat = { model: 'fake-chat', messages }
    assert.deepEqual(await post(service, '/v1/chat/completions/input_tokens', chat), { object: 'response.input_tokens', input_tokens: 3 })
    const { usage } = await post(service, '/v1/chat/completions', chat)
    assert.match(JSON.stringify(usage), /"prompt_tokens":3,/)
  })

  test('missing, duplicate and unknown fields are rejected by name', async () => {
    await using service = await startHttpService()
    for (const [path, json, param] of [
      ['/tokenize', {}, /^content$/],
      ['/tokenize', { content: 'a', prompt: 'a' }, /^prompt$/],
      ['/tokenize', { messages: [] }, /^messages$/],
      ['/tokenize', { messages: [{ role: 'oracle', content: 'x' }] }, /^messages/],
      ['/tokenize', { content: 'a', model: 'no-such' }, /^model$/],
      ['/detokenize', {}, /^tokens$/],
      ['/detokenize', { tokens: [-1] }, /^tokens/],
      ['/v1/chat/completions/input_tokens', { model: 'fake-chat' }, /^messages$/],
    ] as const) {
      const error = await readError(await service.fetch(path, { json }))
      assert.match(String(error.param), param, `${path} ${JSON.stringify(json)}: ${error.message}`)
    }
  })

  test('embeddings accept tokens and a number of dimensions, and reject a mixture', async () => {
    await using service = await startHttpService()
    const embed = (fields: object) => service.fetch('/v1/embeddings', { json: { model: 'fake-chat', ...fields } })
    assert.match(await (await embed({ input: [1, 2, 3] })).text(), /"prompt_tokens":3,/)
    const { data } = await readJson(await embed({ input: [[1, 2], [3]], dimensions: 3 }))
    assert.ok(Array.isArray(data) && data.length === 2 && data[0].embedding.length === 3)
    assert.equal((await readError(await embed({ input: ['one', 2] }))).param, 'input')
    assert.equal((await readError(await embed({ input: 'one', dimensions: 0 }))).param, 'dimensions')
  })
})
