import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { type HttpService, startHttpService } from '../../support/http-service.ts'
import { readEvents } from '../../support/read-events.ts'
import { readError } from '../../support/read-json.ts'

const path = '/v1/responses'
const tool = {
  type: 'function' as const,
  name: 'look_up',
  description: null,
  parameters: { type: 'object', properties: {} },
  strict: false,
}
const ask = (input: OpenAI.Responses.ResponseInput | string) => ({ model: 'fake-chat', input })

interface EventData {
  readonly type: string
  readonly sequence_number: number
  readonly item_id?: string
  readonly delta?: string
  readonly response?: OpenAI.Responses.Response
}

suite("OpenAI's responses", () => {
  let service: HttpService
  let client: OpenAI
  before(async () => {
    service = await startHttpService({ worker: true })
    client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  })
  after(() => service[Symbol.asyncDispose]())

  test('a text returns a message and exact counts', async () => {
    const answer = await client.responses.create({ ...ask('[say Hello there]'), instructions: 'Be brief.', metadata: { a: 'b' } })
    assert.match(answer.id, /^resp_[0-9a-f]{32}$/)
    assert.deepEqual([answer.status, answer.output_text, answer.metadata], ['completed', 'Hello there', { a: 'b' }])
    assert.match(answer.output[0]?.id ?? '', /^msg_/)
    assert.deepEqual(answer.usage, {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 7,
    })
  })

  test('an answer cut off by its limit is incomplete', async () => {
    const answer = await client.responses.create({ ...ask('[say one two three]'), max_output_tokens: 2 })
    assert.deepEqual([answer.status, answer.incomplete_details], ['incomplete', { reason: 'max_output_tokens' }])
  })

  test('a stream has every event in order, numbered, with the same content', async () => {
    const events = await readEvents<EventData>(await service.fetch(path, { json: { ...ask('[say one two]'), stream: true } }))
    assert.deepEqual(
      events.map(({ name }) => name),
      [
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ],
    )
    assert.deepEqual(
      events.map(({ data }) => data.sequence_number),
      events.map((_, index) => index),
    )
    for (const { name, data } of events) assert.equal(data.type, name)
    const last = events.at(-1)?.data.response
    assert.equal(last?.status, 'completed')
    assert.equal(events.find(({ data }) => data.item_id !== undefined)?.data.item_id, last?.output[0]?.id)
    assert.deepEqual((await client.responses.retrieve(last?.id ?? '')).output, last?.output)
  })

  test('the client collects a stream with thoughts and a call, and sends them back without anything being stored', async () => {
    const requested = { tools: [tool], store: false, include: ['reasoning.encrypted_content' as const] }
    const input = '[think Hm.] [say Found.] [call look_up {"q": 1}]'
    const thought = await client.responses.create({ ...ask(input), ...requested, tool_choice: 'none' })
    const [reasoning] = thought.output
    assert.ok(reasoning?.type === 'reasoning' && reasoning.content?.[0]?.text === 'Hm.')
    assert.ok(typeof reasoning.encrypted_content === 'string')
    assert.equal(thought.usage?.output_tokens_details.reasoning_tokens, 1)
    const stream = client.responses.stream({ ...ask(input), ...requested })
    const names: string[] = []
    stream.on('event', ({ type }) => names.push(type))
    const called = await stream.finalResponse()
    assert.ok(names.includes('response.function_call_arguments.delta') && names.includes('response.function_call_arguments.done'))
    const [call] = called.output
    assert.ok(call?.type === 'function_call')
    assert.deepEqual([call.name, JSON.parse(call.arguments)], ['look_up', { q: 1 }])
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Nothing' }
    const history = [{ role: 'user' as const, content: input }, reasoning, call, result]
    const answer = await client.responses.create({ ...ask(history), ...requested })
    assert.equal(answer.output_text, 'Found.')
    await assert.rejects(client.responses.retrieve(answer.id), OpenAI.NotFoundError)
  })

  test('items of stored responses are sent back by reference, of a whole answer and of a stream', async () => {
    const whole = await client.responses.create(ask('[think Hm.] [say One.]'))
    const streamed = await client.responses.stream({ ...ask('[call look_up {"q": 1}]'), tools: [tool] }).finalResponse()
    const [call] = streamed.output
    assert.ok(call?.type === 'function_call')
    const references = [...whole.output, call].map(({ id = '' }) => ({ type: 'item_reference' as const, id }))
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Nothing' }
    const input = [{ role: 'user' as const, content: 'Hi' }, ...references, result, { role: 'user' as const, content: '[say Two.]' }]
    const next = await client.responses.create({ ...ask(input), tools: [tool] })
    assert.equal(next.output_text, 'Two.')
    const { data } = await client.responses.inputItems.list(next.id, { order: 'asc' })
    const ids = data.map((item) => ('id' in item ? item.id : undefined))
    assert.deepEqual(
      ids.slice(1, 4),
      [...whole.output, call].map(({ id }) => id),
    )
    assert.ok((await client.responses.inputTokens.count(ask(input))).input_tokens > 3)
  })

  test('a conversation is compacted into one item that starts the next one', async () => {
    const compacted = await client.responses.compact({ model: 'fake-chat', input: '[say They like blue.]' })
    assert.equal(compacted.object, 'response.compaction')
    const [item] = compacted.output
    assert.ok(item?.type === 'compaction' && item.encrypted_content.length > 10)
    const answer = await client.responses.create({ model: 'fake-chat', input: [item, { role: 'user', content: '[say Yes.]' }] })
    assert.equal(answer.output_text, 'Yes.')
    const refused = await service.fetch(`${path}/compact`, { json: { model: 'fake-chat', input: 'a', stream: true } })
    assert.equal((await readError(refused)).param, 'stream')
  })

  test('tokens are counted without a model too', async () => {
    const named = await client.responses.inputTokens.count({ model: 'fake-chat', input: 'one two three' })
    const { input_tokens: tokens } = await client.responses.inputTokens.count({ input: 'one two three' })
    assert.equal(tokens, named.input_tokens)
    assert.ok((await client.responses.inputTokens.count({ instructions: 'be brief' })).input_tokens > 0)
  })
})
