import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { type HttpService, startHttpService } from '../../support/http-service.ts'
import { readEvents } from '../../support/read-events.ts'
import { readError, readJson } from '../../support/read-json.ts'

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

  test('an overlong input is reported under the name that the client used', async () => {
    const long = 'x'.repeat(300_000)
    for (const [route, input] of [
      [path, 'word '.repeat(2000)],
      [path, long],
      [`${path}/input_tokens`, long],
    ] as const) {
      const { code, param } = await readError(await service.fetch(route, { json: ask(input) }))
      assert.deepEqual([code, param], ['context_length_exceeded', 'input'], route)
    }
  })

  test('a field of another interface is rejected by the name that the client sent', async () => {
    for (const json of [
      { model: 'fake-chat', messages: [] },
      { ...ask('Hi'), messages: [] },
    ]) {
      const { message } = await readError(await service.fetch(path, { json }))
      assert.match(message, /`messages` is not a known field/)
    }
    const { param } = await readError(await service.fetch(path, { json: { ...ask('Hi'), reasoning_effort: 'low' } }))
    assert.equal(param, 'reasoning_effort')
  })

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

  test('items sent by reference count towards the length of the input', async () => {
    const { output } = await client.responses.create(ask(`[say ${'x'.repeat(60_000)}]`))
    const reference = { type: 'item_reference' as const, id: output[0]?.id ?? '' }
    for (const [times, status] of [
      [1, 200],
      [5, 400],
    ] as const)
      for (const route of [path, `${path}/input_tokens`]) {
        const input = [...Array<typeof reference>(times).fill(reference), { role: 'user' as const, content: '[say Hi.]' }]
        assert.equal((await service.fetch(route, { json: ask(input) })).status, status, `${route} ${times}`)
      }
  })

  test('a reference to an item that is not stored is rejected by its place', async () => {
    const unkept = await client.responses.create({ ...ask('[say One.]'), store: false })
    for (const id of [unkept.output[0]?.id ?? '', 'msg_1', `msg_${'0'.repeat(36)}`]) {
      const input = [
        { type: 'item_reference' as const, id },
        { role: 'user' as const, content: 'Hi' },
      ]
      const { param, message } = await readError(await service.fetch(path, { json: ask(input) }))
      assert.deepEqual([param, /not stored/.test(message)], ['input[0]', true], id)
    }
  })

  test('a stored response is streamed again, also from a given event, and in the background to its end', async () => {
    const kept = await client.responses.create(ask('[say one two]'))
    const streamed = async (query: string) => readEvents<EventData>(await service.fetch(`${path}/${kept.id}?stream=true${query}`))
    const events = await streamed('')
    assert.deepEqual(
      events.map(({ data }) => data.sequence_number),
      events.map((_, index) => index),
    )
    assert.deepEqual([events[0]?.name, events.at(-1)?.name], ['response.created', 'response.completed'])
    assert.deepEqual(events.at(-1)?.data.response?.output, kept.output)
    assert.deepEqual((await streamed('&starting_after=3&include_obfuscation=false'))[0], events[4])
    const late = await streamed('&starting_after=500')
    assert.deepEqual(
      late.map(({ name, data }) => [name, data.sequence_number]),
      [['response.completed', 501]],
    )
    for (const [query, param] of [
      ['stream=yes', 'stream'],
      ['starting_after=1', 'starting_after'],
      ['stream=true&starting_after=-1', 'starting_after'],
    ])
      assert.equal((await readError(await service.fetch(`${path}/${kept.id}?${query}`))).param, param)
    const { id } = await client.responses.create({ ...ask('[say one two]'), background: true })
    const texts: string[] = []
    for await (const event of await client.responses.retrieve(id, { stream: true }))
      if (event.type === 'response.completed') texts.push(String(event.response.status))
      else if (event.type === 'response.output_text.done') texts.push(event.text)
    assert.deepEqual(texts, [kept.output_text, 'completed'])
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

  test('functions of a namespace are called by their own name, with the namespace in a field', async () => {
    const tools = [{ type: 'namespace', name: 'agents', description: 'x', tools: [tool] }]
    const answer = await readJson(await service.fetch(path, { json: { ...ask('[call agents__look_up]'), tools } }))
    const [call] = Object(answer.output)
    assert.deepEqual([call.type, call.namespace, call.name], ['function_call', 'agents', 'look_up'])
  })

  test('a conversation continues from a stored response, its input is listed, and it is deleted', async () => {
    const first = await client.responses.create(ask('one two three'))
    const second = await client.responses.create({ ...ask('four'), previous_response_id: first.id })
    const said = first.output_text.split(' ').length
    assert.equal(second.usage?.input_tokens, 4 + said)
    const items = await client.responses.inputItems.list(second.id)
    assert.deepEqual(
      items.data.map((item) => item.type),
      ['message'],
    )
    const listed = await readJson(await service.fetch(`${path}?limit=2`))
    assert.deepEqual(
      Object(listed.data).map(({ id }: { id: string }) => id),
      [second.id, first.id],
    )
    await client.responses.delete(first.id)
    await assert.rejects(client.responses.retrieve(first.id), OpenAI.NotFoundError)
    await assert.rejects(client.responses.create({ ...ask('five'), previous_response_id: second.id }), OpenAI.BadRequestError)
  })

  test('another account finds nothing, and ids of the contract keep their meaning', async () => {
    const { id } = await client.responses.create(ask('Hi'))
    const unknown = await service.fetch(`${path}/resp_${'0'.repeat(32)}`)
    assert.equal((await readError(unknown)).code, 'not_found')
    assert.equal((await readError(await service.fetch(`${path}/resp_../x`))).code, 'not_found')
    assert.equal((await readError(await service.fetch(`${path}/${id.slice(5)}`))).code, 'request_not_found')
  })

  test('a background response is queued, run and polled, with stable item ids', async () => {
    const queued = await client.responses.create({ ...ask('[think Hm.] [say Later]'), background: true })
    assert.equal(queued.status, 'queued')
    let answer = queued
    while (answer.status === 'queued' || answer.status === 'in_progress') answer = await client.responses.retrieve(queued.id)
    assert.deepEqual([answer.status, answer.output.map(({ type }) => type)], ['completed', ['reasoning', 'message']])
    assert.deepEqual(await client.responses.retrieve(queued.id), answer)
    await assert.rejects(client.responses.cancel(queued.id), OpenAI.BadRequestError)
    const failed = await client.responses.create({ ...ask('[fail inference_failed]'), background: true })
    let end = failed
    while (end.status === 'queued' || end.status === 'in_progress') end = await client.responses.retrieve(failed.id)
    assert.deepEqual([end.status, end.error?.code], ['failed', 'inference_failed'])
  })

  test('a background response that fails has what it had written, also as events', async () => {
    const { id } = await client.responses.create({ ...ask('[say one two three] [fail inference_timeout after 2]'), background: true })
    const events = await readEvents<EventData>(await service.fetch(`${path}/${id}?stream=true`))
    const { type, response } = events.at(-1)?.data ?? {}
    assert.deepEqual([type, response?.status, response?.error?.code], ['response.failed', 'failed', 'inference_timeout'])
    assert.equal(events.map(({ data }) => data.delta ?? '').join(''), 'one two')
    const failed = await client.responses.retrieve(id)
    assert.deepEqual(failed.output, response?.output)
    assert.deepEqual([failed.output_text, failed.usage?.output_tokens], ['one two', 2])
    const [message] = failed.output
    assert.deepEqual([message?.type, message?.type === 'message' && message.status], ['message', 'incomplete'])
  })

  test('a background response is cancelled', async () => {
    const { id } = await client.responses.create({ ...ask('[hang]'), background: true })
    await client.responses.cancel(id)
    let end = await client.responses.retrieve(id)
    while (end.status === 'queued' || end.status === 'in_progress') end = await client.responses.retrieve(id)
    assert.equal(end.status, 'cancelled')
  })

  const refusals: readonly (readonly [what: string, fields: object, message: RegExp])[] = [
    ['a built-in tool', { tools: [{ type: 'web_search' }] }, /`tools\[0\]` is web_search/],
    [
      'a picture',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] },
      /`input\[0\]\.content\[0\]\.image_url` must hold the picture itself/,
    ],
    ['a reference without an id', { input: [{ type: 'item_reference' }] }, /type item_reference/],
    ['an output without its call', { input: [{ type: 'function_call_output', call_id: 'x', output: '' }] }, /call_id` must be the call_id/],
    ['no input', { input: [] }, /`input`/],
    ['a schema that is missing', { text: { format: { type: 'json_schema', name: 'x' } } }, /text\.format\.schema` is required/],
    ['a stream in the background', { stream: true, background: true }, /`stream` cannot be combined/],
    ['another way of cutting', { truncation: 'middle' }, /`truncation` must be/],
    ['a conversation kept elsewhere', { conversation: 'x' }, /`conversation` is not a known field/],
    ['a function twice', { tools: [tool, tool] }, /look_up appears twice/],
  ]
  for (const [what, fields, message] of refusals)
    test(`${what} is rejected by name`, async () => {
      const response = await service.fetch(path, { json: { ...ask('Hi'), ...fields } })
      const error = await readError(response)
      assert.equal(response.status, 400, error.message)
      assert.match(error.message, message)
    })

  test('a failure in a stream is response.failed, the last event', async () => {
    const json = { ...ask('[say one two] [fail inference_failed after 1]'), stream: true }
    const events = await readEvents<EventData>(await service.fetch(path, { json }))
    assert.equal(events.at(-1)?.name, 'response.failed')
    assert.equal(events.at(-1)?.data.response?.error?.code, 'inference_failed')
  })

  test('extra fields of coding agents are accepted', async () => {
    const developer = { type: 'message', role: 'developer', id: 'msg_1', content: [{ type: 'input_text', text: 'You code.' }] }
    const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '[say Yes]' }] }
    const fields = {
      reasoning: { summary: 'auto' },
      store: false,
      prompt_cache_key: 'x',
      client_metadata: { a: 'b' },
      tool_choice: 'auto',
      tools: [tool],
    }
    const response = await service.fetch(path, { json: { model: 'fake-chat', input: [developer, user], ...fields } })
    assert.equal(response.status, 200, await response.text())
  })
})
