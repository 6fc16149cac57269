import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { AzureOpenAI } from 'openai'
import { type HttpService, startHttpService } from '../support/http-service.ts'

const model = 'fake-chat'
const messages = [{ role: 'user' as const, content: 'Hi [say hello]' }]

suite('other requests of published clients', () => {
  let service: HttpService
  let openai: OpenAI
  let anthropic: Anthropic
  before(async () => {
    service = await startHttpService({ worker: true })
    openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
    anthropic = new Anthropic({ baseURL: service.url, apiKey: service.token, maxRetries: 0 })
  })
  after(() => service[Symbol.asyncDispose]())

  const notOffered: readonly (readonly [part: string, call: () => Promise<unknown>])[] = [
    ['/v1/moderations', () => openai.moderations.create({ input: 'x' })],
    ['/v1/audio', () => openai.audio.speech.create({ model: 'x', voice: 'alloy', input: 'x' })],
    ['/v1/fine_tuning', () => openai.fineTuning.jobs.list()],
    ['/v1/vector_stores', () => openai.vectorStores.list()],
    ['/v1/uploads', () => openai.uploads.create({ bytes: 1, filename: 'x', mime_type: 'text/plain', purpose: 'batch' })],
    ['/v1/conversations', () => openai.conversations.create()],
    ['/v1/containers', () => openai.containers.list()],
    ['/v1/evals', () => openai.evals.list()],
  ]
  for (const [part, call] of notOffered)
    test(`OpenAI's ${part} is rejected by name`, () =>
      assert.rejects(
        call,
        (error: unknown) => error instanceof OpenAI.NotFoundError && error.message.includes(`\`${part}\` is not offered`),
      ))

  const notThere: readonly (readonly [part: string, call: () => PromiseLike<unknown>])[] = [
    [
      '/v1/messages/batches',
      () => anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params: { model, max_tokens: 8, messages } }] }),
    ],
    ['/v1/messages/batches', () => anthropic.messages.batches.list()],
    ['/v1/files', () => anthropic.beta.files.list()],
    ['/v1/skills', () => anthropic.beta.skills.list()],
  ]
  for (const [part, call] of notThere)
    test(`Anthropic's ${part} is rejected by name, in Anthropic's shape`, () =>
      assert.rejects(
        async () => call(),
        (error: unknown) => {
          assert.ok(error instanceof Anthropic.NotFoundError, String(error))
          assert.match(JSON.stringify(error.error), /^\{"type":"error","error":\{"type":"not_found_error"/)
          return error.message.includes(part)
        },
      ))

  test("Anthropic's clients list the models for messages, page by page, and read one", async () => {
    for (const half of [anthropic, anthropic.beta]) {
      const names: string[] = []
      for await (const { id, type, display_name, created_at, max_input_tokens } of half.models.list({ limit: 1 })) {
        names.push(id)
        assert.deepEqual([type, display_name, max_input_tokens], ['model', 'Fake Chat', 1024])
        assert.equal(new Date(created_at).toISOString(), created_at)
      }
      assert.deepEqual(names, [model])
    }
    assert.equal((await anthropic.models.retrieve(model)).id, model)
    const page = await anthropic.models.list()
    assert.deepEqual([page.first_id, page.last_id, page.has_more], [model, model, false])
    await assert.rejects(anthropic.models.retrieve('nope'), Anthropic.NotFoundError)
    for (const query of [{ limit: 0 }, { after_id: 'nope' }, { before_id: 'nope' }, { after_id: model, before_id: model }])
      await assert.rejects(async () => anthropic.models.list(query), Anthropic.BadRequestError)
    assert.equal((await openai.models.retrieve(model)).object, 'model')
    assert.equal((await openai.models.list({ query: { limit: 1 } })).object, 'list')
  })

  test('a tool runner continues without a thread', async () => {
    const said = await anthropic.beta.messages.toolRunner({ model, max_tokens: 16, messages, tools: [] })
    assert.deepEqual([said.stop_reason, said.content[0]?.type], ['end_turn', 'text'])
  })

  test('the input of a response is counted, with the conversation before it', async () => {
    const alone = await openai.responses.inputTokens.count({ model, input: 'one two', instructions: 'three' })
    assert.deepEqual(alone, { object: 'response.input_tokens', input_tokens: 3 })
    const { id } = await openai.responses.create({ model, input: '[say four five]' })
    const { input_tokens: together } = await openai.responses.inputTokens.count({ model, input: 'one', previous_response_id: id })
    assert.equal(together, 6)
    assert.equal((await openai.responses.inputTokens.count({ input: 'one' })).input_tokens, 1)
    await assert.rejects(openai.responses.inputTokens.count({ model: 'nope', input: 'one' }), OpenAI.NotFoundError)
  })

  test('a stored response is read with the supported include values, and others are rejected by name', async () => {
    const { id } = await openai.responses.create({ model, input: 'Hi' })
    assert.equal((await openai.responses.retrieve(id, { include: ['message.output_text.logprobs'] })).id, id)
    const items = await openai.responses.inputItems.list(id, { include: ['reasoning.encrypted_content'] })
    assert.equal(items.data.length, 1)
    assert.equal((await openai.responses.retrieve(id, { include: ['file_search_call.results'] })).id, id)
    const unknown = { query: { include: 'everything' } }
    await assert.rejects(openai.responses.retrieve(id, {}, unknown), /`include` must be one of/)
    const events = await Array.fromAsync(await openai.responses.retrieve(id, { stream: true, starting_after: 2 }))
    assert.deepEqual([events[0]?.sequence_number, events.at(-1)?.type], [3, 'response.completed'])
  })

  test('a text is completed up to the given suffix', async () => {
    const { choices } = await openai.completions.create({ model, prompt: 'a [say b]', suffix: ' c' })
    assert.equal(choices[0]?.text, 'b')
    await assert.rejects(openai.completions.create({ model, prompt: [1, 2], suffix: ' c' }), /`suffix` needs a text as `prompt`/)
    await assert.rejects(
      openai.completions.create({ model, prompt: 'a', suffix: ' c', echo: true }),
      /`suffix` must be left out with `echo`/,
    )
  })

  test("Azure's client works with its own paths, header and version, with the model in the path or only in the body", async () => {
    const given = { apiKey: service.token, apiVersion: '2026-01-01', endpoint: service.url, maxRetries: 0 }
    for (const azure of [new AzureOpenAI(given), new AzureOpenAI({ ...given, deployment: model })]) {
      const { choices } = await azure.chat.completions.create({ model, messages })
      assert.equal(choices[0]?.message.content, 'hello')
    }
    const { data } = await new AzureOpenAI(given).models.list()
    assert.ok(data.some(({ id }) => id === model))
  })
})
