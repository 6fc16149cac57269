import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Answer } from '../../src/http/wire/answer.ts'
import type { messageAnswerSchema } from '../../src/http/wire/messages/message-answers.ts'
import type { MessageError } from '../../src/http/wire/messages/message-error.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readEvents } from '../support/read-events.ts'

const path = '/v1/messages'
const user = (content: unknown) => ({ role: 'user', content })
const body = (content: unknown, fields: object = {}) => ({ model: 'fake-chat', max_tokens: 64, messages: [user(content)], ...fields })
const weather = { name: 'get_weather', description: 'Weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }

type Message = Answer<typeof messageAnswerSchema>

/** An answer, or a refusal: whichever fields it has. */
type Answered = Omit<Message, 'type'> & Omit<MessageError, 'type'> & { readonly type: string }

/** Whatever an event has. */
interface EventData {
  readonly type: string
  readonly message: Message
  readonly index?: number
  readonly content_block?: Message['content'][number]
  readonly delta?: { readonly type?: string; readonly partial_json?: string; readonly signature?: string }
  readonly error?: MessageError['error']
}

suite("Anthropic's messages", () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  const ask = async (json: unknown): Promise<{ status: number; answer: Answered }> => {
    const response = await service.fetch(path, { json })
    return { status: response.status, answer: JSON.parse(await response.text()) }
  }
  const stream = async (json: object) => readEvents<EventData>(await service.fetch(path, { json: { ...json, stream: true } }))

  test('an answer has one text block, its stop reason and exact counts', async () => {
    const { status, answer } = await ask(body('[say Hello there, Ada]', { system: [{ type: 'text', text: 'Be brief.' }] }))
    assert.equal(status, 200)
    assert.match(answer.id, /^msg_[0-9a-f]{32}$/)
    assert.deepEqual(
      { ...answer, id: '' },
      {
        id: '',
        type: 'message',
        role: 'assistant',
        model: 'fake-chat',
        content: [{ type: 'text', text: 'Hello there, Ada' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 6, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 },
      },
    )
  })

  test('stop sequences and the token limit have their own stop reasons', async () => {
    const stopped = await ask(body('[say one two END three]', { stop_sequences: ['END', 'x'] }))
    assert.deepEqual([stopped.answer.stop_reason, stopped.answer.stop_sequence], ['stop_sequence', 'END'])
    assert.deepEqual(stopped.answer.content, [{ type: 'text', text: 'one two ' }])
    const limited = await ask(body('[say one two three]', { max_tokens: 2 }))
    assert.deepEqual([limited.answer.stop_reason, limited.answer.stop_sequence], ['max_tokens', null])
  })

  test('a stream has every event in order, with the same content', async () => {
    const events = await stream(body('[say one two]'))
    assert.deepEqual(
      events.map(({ name }) => name),
      [
        'message_start',
        'ping',
        'content_block_start',
        'content_block_delta',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ],
    )
    for (const { name, data } of events) assert.equal(data.type, name)
    const message = events[0]?.data.message
    assert.deepEqual([message?.content, message?.stop_reason, message?.usage.input_tokens, message?.usage.output_tokens], [[], null, 3, 0])
    assert.deepEqual(events[2]?.data, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
    assert.deepEqual(events[4]?.data, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' two' } })
    assert.deepEqual(events.at(-2)?.data, {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 },
    })
  })

  test('thoughts are returned on request as a separate block with a signature', async () => {
    const thinking = { type: 'enabled', budget_tokens: 32 }
    const { answer } = await ask(body('[think Hm.] [say Four.]', { thinking }))
    assert.deepEqual(
      answer.content.map(({ type }) => type),
      ['thinking', 'text'],
    )
    const [thought] = answer.content
    assert.ok(thought?.type === 'thinking')
    assert.equal(thought.thinking, 'Hm.')
    const deltas = (await stream(body('[think Hm.] [say Four.]', { thinking }))).flatMap(({ data: { delta } }) =>
      delta?.type === undefined ? [] : [delta],
    )
    assert.deepEqual(
      deltas.map(({ type }) => type),
      ['thinking_delta', 'signature_delta', 'text_delta'],
    )
    assert.equal(deltas[1]?.signature, thought.signature)
    for (const fields of [{}, { thinking: { type: 'disabled' } }, { thinking: { ...thinking, display: 'omitted' } }])
      assert.deepEqual((await ask(body('[think Hm.] [say Four.]', fields))).answer.content.length, 1)
  })

  test('a tool is called, whole and in fragments, and its result is accepted', async () => {
    const question = body('[call get_weather {"city": "Paris"}] [say Sunny.]', { tools: [weather] })
    const { answer } = await ask(question)
    assert.equal(answer.stop_reason, 'tool_use')
    const [call] = answer.content
    assert.ok(call?.type === 'tool_use')
    assert.deepEqual(call, { type: 'tool_use', id: 'toolu_call_0', name: 'get_weather', input: { city: 'Paris' } })
    const events = await stream(question)
    const fragments = events.flatMap(({ data }) => (data.delta?.type === 'input_json_delta' ? [data.delta.partial_json] : []))
    assert.ok(fragments.length > 1)
    assert.deepEqual(JSON.parse(fragments.join('')), { city: 'Paris' })
    assert.deepEqual(events.find(({ name }) => name === 'content_block_start')?.data.content_block, { ...call, input: {} })
    const result = { type: 'tool_result', tool_use_id: call.id, content: [{ type: 'text', text: '25 degrees' }], is_error: null }
    const messages = [...question.messages, { role: 'assistant', content: answer.content }, user([{ type: 'text', text: 'And?' }, result])]
    const last = await ask({ ...question, messages })
    assert.deepEqual(last.answer.content, [{ type: 'text', text: 'Sunny.' }])
  })

  const choices: readonly (readonly [choice: object, called: boolean])[] = [
    [{ type: 'any' }, true],
    [{ type: 'tool', name: 'get_weather', disable_parallel_tool_use: true }, true],
    [{ type: 'none' }, false],
    [{ type: 'auto' }, false],
  ]
  for (const [tool_choice, called] of choices)
    test(`tool_choice ${JSON.stringify(tool_choice)} ${called ? 'calls' : 'does not call'}`, async () => {
      const { answer } = await ask(body('Hi', { tools: [weather], tool_choice }))
      assert.equal(answer.stop_reason === 'tool_use', called)
    })

  test('extra fields of coding agents are accepted', async () => {
    const { status, answer } = await ask({
      ...body([{ type: 'text', text: '[say Yes]', cache_control: { type: 'ephemeral' } }]),
      system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [user('[say Yes]'), { role: 'system', content: 'Added in the middle.' }],
      thinking: { type: 'adaptive' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      output_config: { effort: 'high' },
      metadata: { user_id: 'ada' },
      service_tier: 'auto',
      tools: [{ ...weather, type: 'custom', cache_control: null, strict: true, eager_input_streaming: true }],
      temperature: 0.2,
      top_p: 0.9,
      top_k: 5,
    })
    assert.equal(status, 200, JSON.stringify(answer))
  })

  test('tokens are counted without an answer', async () => {
    const { model, messages } = body('one two three')
    const response = await service.fetch(`${path}/count_tokens?beta=true`, { json: { model, messages, system: 'four', tools: [weather] } })
    assert.deepEqual(await response.json(), { input_tokens: 4 })
  })

  test('x-api-key is accepted as on every route', async () => {
    const send = (address: string, headers: Record<string, string>) =>
      service.fetch(address, { json: body('Hi'), token: null, headers: { 'anthropic-version': '2023-06-01', ...headers } })
    assert.equal((await send(path, { 'x-api-key': service.token })).status, 200)
    assert.equal((await send(path, { 'x-api-key': 'wrong' })).status, 401)
    assert.equal((await send(path, {})).status, 401)
    assert.equal((await send('/v1/chat/completions', { 'x-api-key': service.token })).status, 200)
    assert.equal((await send('/v1/chat/completions', { 'x-api-key': 'wrong' })).status, 401)
  })

  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] }
  const refusals: readonly (readonly [what: string, fields: object, message: RegExp])[] = [
    ['a picture', { messages: [user([image])] }, /cannot read images/],
    [
      'a picture by its address',
      { messages: [user([{ ...image, source: { type: 'url', url: 'https://pictures.example/a.png' } }])] },
      /`messages\[0\]\.content\[0\]\.source\.url` is a web address, .*fetch-pictures/,
    ],
    [
      'a picture in a result',
      { messages: [user('x'), use, user([{ type: 'tool_result', tool_use_id: 'a', content: [image] }])] },
      /cannot read images/,
    ],
    ['a document', { messages: [user([{ type: 'document', source: {} }])] }, /type document/],
    ['an unknown block', { messages: [user([{ type: 'x'.repeat(9000) }])] }, /type x{100}…,/],
    ['a tool of Anthropic’s', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, /`tools\[0\]` is web_search_20250305/],
    ['no limit', { max_tokens: null }, /`max_tokens` is required/],
    ['no messages', { messages: [] }, /`messages` must be a list of at least 1 entry/],
    [
      'a field of a block',
      { messages: [user([{ type: 'text', text: 'a', x: 1 }])] },
      /`messages\[0\]\.content\[0\]\.x` is not a known field/,
    ],
    ['a call by the user', { messages: [user(use.content)] }, /belongs to assistant messages/],
    ['heat', { temperature: 1.5 }, /`temperature` must be a number from 0 to 1/],
    ['a longer budget than limit', { thinking: { type: 'enabled', budget_tokens: 64 } }, /`thinking\.budget_tokens` must be less/],
    ['an edit of the context', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }, /context_management\.edits\[0\]/],
    ['servers of tools', { mcp_servers: [{}] }, /`mcp_servers` must be/],
    ['a choice that is not there', { tools: [weather], tool_choice: { type: 'tool', name: 'y' } }, /names y/],
    ['a tool twice', { tools: [weather, weather] }, /get_weather appears twice/],
  ]
  for (const [what, fields, message] of refusals)
    test(`${what} is rejected by name, in Anthropic's shape`, async () => {
      const { status, answer } = await ask({ ...body('Hi'), ...fields })
      assert.equal(status, 400, JSON.stringify(answer))
      assert.deepEqual(Object.keys(answer).sort(), ['error', 'request_id', 'type'])
      assert.deepEqual([answer.type, answer.error.type], ['error', 'invalid_request_error'])
      assert.match(answer.error.message, message)
    })

  test("other errors have Anthropic's types, and every answer a request-id", async () => {
    const cases: readonly (readonly [init: Parameters<HttpService['fetch']>[1], status: number, type: string])[] = [
      [{ json: body('Hi', { model: 'nobody' }) }, 404, 'not_found_error'],
      [{ json: body('Hi'), token: 'wrong' }, 401, 'authentication_error'],
      [{ json: body('Hi'), token: await service.makeToken(['image']) }, 403, 'permission_error'],
      [{ method: 'POST', body: '{' }, 400, 'invalid_request_error'],
      [{ method: 'GET' }, 405, 'invalid_request_error'],
      [{ json: body('[fail server_is_overloaded]') }, 503, 'overloaded_error'],
      [{ json: body('[fail inference_failed]') }, 500, 'api_error'],
    ]
    for (const [init, status, type] of cases) {
      const response = await service.fetch(path, init)
      const answer = JSON.parse(await response.text())
      assert.deepEqual([response.status, answer.error.type], [status, type])
      assert.equal(response.headers.get('request-id'), answer.request_id)
    }
    assert.match((await service.fetch(path, { json: body('Hi') })).headers.get('request-id') ?? '', /^[\w-]+$/)
  })

  test('a failure in a stream is an error event, and the last one', async () => {
    const events = await stream(body('[say one two three] [fail inference_failed after 1]'))
    assert.equal(events.at(-1)?.name, 'error')
    assert.equal(events.at(-1)?.data.error?.type, 'api_error')
    assert.ok(events.every(({ name }) => name !== 'message_stop'))
  })
})
