import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readEvents } from '../support/read-events.ts'
import { readError, readJson } from '../support/read-json.ts'

const path = '/v1/responses'
const tool = { type: 'function', name: 'look_up', description: null, parameters: { type: 'object', properties: {} }, strict: false }
const ask = (input: string | readonly object[]) => ({ model: 'fake-chat', input })

interface ResponseObject {
  readonly id: string
  readonly status: string
  readonly output: readonly {
    readonly type: string
    readonly id: string
    readonly status?: string
    readonly content?: readonly { readonly text: string }[]
  }[]
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null
  readonly error: { readonly code: string } | null
  readonly store: boolean
  readonly warnings?: readonly string[]
}

interface EventData {
  readonly type: string
  readonly sequence_number: number
  readonly delta?: string
  readonly response?: ResponseObject
}

suite("OpenAI's responses", () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ worker: true })
  })
  after(() => service[Symbol.asyncDispose]())

  const received = async (answer: Response): Promise<ResponseObject> => {
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
  const create = async (json: object) => received(await service.fetch(path, { json }))
  const retrieve = async (id: string, from = service) => received(await from.fetch(`${path}/${id}`))
  const statusOf = async (id: string) => (await service.fetch(`${path}/${id}`)).status
  const textOf = ({ output }: ResponseObject): string => output.at(-1)?.content?.[0]?.text ?? ''
  /** The response in the background once it has ended. */
  const ended = async (id: string, from = service): Promise<ResponseObject> => {
    for (;;) {
      const response = await retrieve(id, from)
      if (response.status !== 'queued' && response.status !== 'in_progress') return response
    }
  }

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

  test('functions of a namespace are called by their own name, with the namespace in a field', async () => {
    const tools = [{ type: 'namespace', name: 'agents', description: 'x', tools: [tool] }]
    const answer = await readJson(await service.fetch(path, { json: { ...ask('[call agents__look_up]'), tools } }))
    const [call] = Object(answer.output)
    assert.deepEqual([call.type, call.namespace, call.name], ['function_call', 'agents', 'look_up'])
  })

  const refusals: readonly (readonly [what: string, fields: object, message: RegExp])[] = [
    ['a built-in tool', { tools: [{ type: 'web_search' }] }, /`tools\[0\]` is web_search/],
    [
      'a picture',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] },
      /`input\[0\]\.content\[0\]\.image_url` must hold the image itself/,
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

  test('items sent by reference count towards the length of the input', async () => {
    const { output } = await create(ask(`[say ${'x'.repeat(60_000)}]`))
    const reference = { type: 'item_reference', id: output[0]?.id ?? '' }
    for (const [times, status] of [
      [1, 200],
      [5, 400],
    ] as const)
      for (const route of [path, `${path}/input_tokens`]) {
        const input = [...Array<typeof reference>(times).fill(reference), { role: 'user', content: '[say Hi.]' }]
        assert.equal((await service.fetch(route, { json: ask(input) })).status, status, `${route} ${times}`)
      }
  })

  test('a reference to an item that is not stored is rejected by its place', async () => {
    const unkept = await create({ ...ask('[say One.]'), store: false })
    for (const id of [unkept.output[0]?.id ?? '', 'msg_1', `msg_${'0'.repeat(36)}`]) {
      const input = [
        { type: 'item_reference', id },
        { role: 'user', content: 'Hi' },
      ]
      const { param, message } = await readError(await service.fetch(path, { json: ask(input) }))
      assert.deepEqual([param, /not stored/.test(message)], ['input[0]', true], id)
    }
  })

  test('a stored response is streamed again, also from a given event, and in the background to its end', async () => {
    const kept = await create(ask('[say one two]'))
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
    const { id } = await create({ ...ask('[say one two]'), background: true })
    const live = await readEvents<EventData>(await service.fetch(`${path}/${id}?stream=true`))
    assert.equal(live.map(({ data }) => data.delta ?? '').join(''), 'one two')
    assert.deepEqual([live.at(-1)?.name, live.at(-1)?.data.response?.status], ['response.completed', 'completed'])
  })

  test('another account finds nothing, and ids of the contract keep their meaning', async () => {
    const { id } = await create(ask('Hi'))
    const unknown = await service.fetch(`${path}/resp_${'0'.repeat(32)}`)
    assert.equal((await readError(unknown)).code, 'not_found')
    assert.equal((await readError(await service.fetch(`${path}/resp_../x`))).code, 'not_found')
    assert.equal((await readError(await service.fetch(`${path}/${id.slice(5)}`))).code, 'request_not_found')
  })

  test('a conversation continues from a stored response, its input is listed, and it is deleted', async () => {
    const first = await create(ask('one two three'))
    const second = await create({ ...ask('four'), previous_response_id: first.id })
    const said = textOf(first).split(' ').length
    assert.equal(second.usage?.input_tokens, 4 + said)
    const { data: items } = await readJson(await service.fetch(`${path}/${second.id}/input_items`))
    assert.deepEqual(
      Object(items).map(({ type }: { type: string }) => type),
      ['message'],
    )
    const listed = await readJson(await service.fetch(`${path}?limit=2`))
    assert.deepEqual(
      Object(listed.data).map(({ id }: { id: string }) => id),
      [second.id, first.id],
    )
    const removed = await service.fetch(`${path}/${first.id}`, { method: 'DELETE' })
    assert.deepEqual(await readJson(removed), { id: first.id, object: 'response', deleted: true })
    for (const gone of ['', '/input_items', '?stream=true']) assert.equal(await statusOf(first.id + gone), 404)
    const refused = await service.fetch(path, { json: { ...ask('five'), previous_response_id: second.id } })
    assert.deepEqual([refused.status, (await readError(refused)).param], [400, 'previous_response_id'])
    assert.equal((await readError(await service.fetch(`${path}/${second.id}?include[]=x`))).param, 'include')
  })

  test('a failure in a stream is response.failed, the last event', async () => {
    const json = { ...ask('[say one two] [fail inference_failed after 1]'), stream: true }
    const events = await readEvents<EventData>(await service.fetch(path, { json }))
    assert.equal(events.at(-1)?.name, 'response.failed')
    assert.equal(events.at(-1)?.data.response?.error?.code, 'inference_failed')
  })

  test('a background response is queued, run and polled, with stable item ids', async () => {
    const queued = await create({ ...ask('[think Hm.] [say Later]'), background: true })
    assert.equal(queued.status, 'queued')
    const answer = await ended(queued.id)
    assert.deepEqual([answer.status, answer.output.map(({ type }) => type)], ['completed', ['reasoning', 'message']])
    assert.deepEqual(await retrieve(queued.id), answer)
    assert.equal((await service.fetch(`${path}/${queued.id}/cancel`, { method: 'POST' })).status, 400)
    const failed = await create({ ...ask('[fail inference_failed]'), background: true })
    const end = await ended(failed.id)
    assert.deepEqual([end.status, end.error?.code], ['failed', 'inference_failed'])
  })

  test('a background response that fails has what it had written, also as events', async () => {
    const { id } = await create({ ...ask('[say one two three] [fail inference_timeout after 2]'), background: true })
    const events = await readEvents<EventData>(await service.fetch(`${path}/${id}?stream=true`))
    const { type, response } = events.at(-1)?.data ?? {}
    assert.deepEqual([type, response?.status, response?.error?.code], ['response.failed', 'failed', 'inference_timeout'])
    assert.equal(events.map(({ data }) => data.delta ?? '').join(''), 'one two')
    const failed = await retrieve(id)
    assert.deepEqual(failed.output, response?.output)
    assert.deepEqual([textOf(failed), failed.usage?.output_tokens], ['one two', 2])
    assert.deepEqual([failed.output[0]?.type, failed.output[0]?.status], ['message', 'incomplete'])
  })

  test('a background response is cancelled', async () => {
    const { id } = await create({ ...ask('[hang]'), background: true })
    await received(await service.fetch(`${path}/${id}/cancel`, { method: 'POST' }))
    assert.equal((await ended(id)).status, 'cancelled')
  })

  test('a response that the account has no room for is returned as not stored, and one in the background can be read', async () => {
    await using small = await startHttpService({ worker: true, settings: { accounts: { documentBytes: 4000 } } })
    const json = ask(`[say ${'x'.repeat(2000)}]`)
    const whole = await received(await small.fetch(path, { json }))
    const streamed = (await readEvents<EventData>(await small.fetch(path, { json: { ...json, stream: true } }))).at(-1)?.data.response
    for (const response of [whole, streamed]) {
      assert.ok(response)
      assert.deepEqual([response.status, textOf(response).length, response.store], ['completed', 2000, false])
      assert.match(response.warnings?.[0] ?? '', /^Not stored\. This account would exceed/)
      assert.equal((await small.fetch(`${path}/${response.id}`)).status, 404)
    }
    const { id } = await received(await small.fetch(path, { json: { ...json, background: true } }))
    const answer = await ended(id, small)
    assert.deepEqual([answer.status, textOf(answer).length], ['completed', 2000])
    assert.deepEqual(await retrieve(id, small), answer)
    await using empty = await startHttpService({ settings: { accounts: { documentBytes: 4000 } } })
    const spaced = { method: 'POST', body: `${JSON.stringify(ask('[say one]'))}${' '.repeat(5000)}` }
    assert.equal((await received(await empty.fetch(path, spaced))).store, true)
  })

  test('a background response that is deleted ends, and its stream too', async () => {
    const { id } = await create({ ...ask('[hang]'), background: true })
    const followed = readEvents<EventData>(await service.fetch(`${path}/${id}?stream=true`))
    assert.equal((await service.fetch(`${path}/${id}`, { method: 'DELETE' })).status, 200)
    assert.equal(await statusOf(id), 404)
    const [first] = await followed
    assert.equal(first?.name, 'response.created')
  })
})
