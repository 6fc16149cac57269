import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'
import { readChatBody } from '../../../../../test/support/wire/what-routes-take.ts'
import type { Turn } from '../../../../core/chat/conversation.ts'

const page = openBrowserPage('/console/chat')
const { changeChatSettings, chatRequestBody, chatSettings, chooseChatModel, chooseLoras, defaultChatSettings, limitedTo, tokenLimit } =
  await import('./chat-settings.ts')
const { messagesOf, textOf } = await import('./message-text.ts')
const { readTools } = await import('./structure/read-tools.ts')
const { readSchema } = await import('./structure/read-schema.ts')
const { followAnswer } = await import('./answers/write-answer.ts')
const { followInference } = await import('../../interface/follow-inference.ts')
const { submitChat } = await import('../../interface/submit-chat.ts')
const { imageRoute, submitImage } = await import('../../interface/submit-image.ts')

const { unreadFiles, readFiles } = await import('./attach/attachments.ts')
const { models } = await import('../../state/models.ts')
const unloaded = { state: 'unloaded', memoryBytes: 0, slots: 0, inUse: 0, waiting: 0 } as const
const model = { kind: 'text', id: 'm', name: 'M', license: null, bytes: 0, created: 0, embeddings: false, contextLength: null } as const
const fitting = [{ ...model, generates: true, looks: false, state: unloaded, adapters: ['ink', 'pencil'] }]
models.value = fitting

const settings = { ...defaultChatSettings, model: 'm' }
const hello = [{ role: 'user', content: 'Hi' }] as const
const added = (change: Partial<typeof settings>) => {
  const sent = chatRequestBody({ ...settings, ...change }, hello)
  readChatBody(sent)
  const { model: _, messages, ...rest } = sent
  return messages.length > 1 ? { ...rest, messages } : rest
}
const look = { name: 'look', description: 'Looks.', parameters: { type: 'object' } }
const tools = JSON.stringify([look])

test('a smaller context reduces the maximum length of an answer', () => {
  models.value = ['small', 'large'].map((id) => ({
    ...model,
    id,
    generates: true,
    looks: false,
    state: unloaded,
    contextLength: id === 'small' ? 512 : null,
  }))
  chatSettings.value = { ...defaultChatSettings, model: 'large' }
  chooseChatModel('small')
  assert.equal(tokenLimit(chatSettings.value), 0)
  changeChatSettings(limitedTo(100_000))
  chooseChatModel('large')
  assert.equal(tokenLimit(chatSettings.value), 100_000)
  chooseChatModel('small')
  assert.equal(tokenLimit(chatSettings.value), 512)
  models.value = fitting
})

test('LoRAs that do not fit the model make room for those that do, because a conversation keeps eight', () => {
  const chosen = (name: string) => ({ name, weight: 1 })
  const foreign = Array.from({ length: 8 }, (_, index) => chosen(`foreign-${index}`))
  chatSettings.value = { ...settings, loras: [chosen('ink'), ...foreign.slice(1)] }
  chooseLoras([...chatSettings.value.loras, chosen('pencil')])
  assert.deepEqual(chatSettings.value.loras, [...foreign.slice(2), chosen('ink'), chosen('pencil')])
})

test('LoRAs are sent before the models are known, so that a reload does not drop them', () => {
  models.value = null
  const body = chatRequestBody({ ...settings, loras: [{ name: 'ink', weight: 1 }] }, hello)
  models.value = fitting
  assert.deepEqual(body.lora, [{ name: 'ink', scale: 1 }])
})

test('a message waits for the files that are being read, so that it is not sent without them', async () => {
  const file = (name: string) => new File(['The word is heron.'], name)
  const [one, other] = [readFiles([file('a.txt'), file('b.txt')], ['m']), readFiles([file('a.txt')], ['m'])]
  assert.deepEqual(unreadFiles.value, [['a.txt', 'b.txt'], ['a.txt']])
  assert.deepEqual((await other).read, [{ name: 'a.txt', text: 'The word is heron.' }])
  await one
  assert.deepEqual(unreadFiles.value, [])
})

suite('the request of a chat', () => {
  for (const [name, change, expected] of [
    ['no default values', {}, {}],
    ['a system prompt', { system: 'You' }, { messages: [{ role: 'system', content: 'You' }, ...hello] }],
    ['no empty system prompt', { system: ' \n' }, {}],
    ['a limit', { maxTokens: 9 }, { max_tokens: 9 }],
    ['the limit 512', { maxTokens: 512, limited: true }, { max_tokens: 512 }],
    ['no limit 0', { maxTokens: 0 }, {}],
    ['the sampling settings', { temperature: 0, topP: 0.5, topK: 4, minP: 0.1 }, { temperature: 0, top_p: 0.5, top_k: 4, min_p: 0.1 }],
    [
      'penalties',
      { frequencyPenalty: 0.5, presencePenalty: 1, repetitionPenalty: 1.1 },
      { frequency_penalty: 0.5, presence_penalty: 1, repetition_penalty: 1.1 },
    ],
    ['a seed', { seed: '0' }, { seed: 0 }],
    ['stop strings, one per line', { stop: 'a\n\nb c\n' }, { stop: ['a', 'b c'] }],
    ['JSON', { format: 'json' }, { response_format: { type: 'json_object' } }],
    [
      'a schema',
      { format: 'schema', schema: '{"type":"object"}' },
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: true } } },
    ],
    ['no invalid schema', { format: 'schema', schema: '[' }, {}],
    ['functions', { tools }, { tools: [{ type: 'function', function: look }] }],
    ['a required function', { tools, toolChoice: 'required' }, { tools: [{ type: 'function', function: look }], tool_choice: 'required' }],
    [
      'the LoRAs that fit the model',
      {
        loras: [
          { name: 'ink', weight: 0.5 },
          { name: 'foreign', weight: 1 },
        ],
      },
      { lora: [{ name: 'ink', scale: 0.5 }] },
    ],
    ['no choice without functions', { toolChoice: 'required' }, {}],
  ] as readonly (readonly [string, Partial<typeof settings>, object])[])
    test(`contains ${name}, and the service accepts it`, () => assert.deepEqual(added(change), expected))

  for (const [text, names] of [
    ['', []],
    [JSON.stringify(look), ['look']],
    [JSON.stringify({ type: 'function', function: look }), ['look']],
    [JSON.stringify([look, { name: 'go' }]), ['look', 'go']],
    ['[]', null],
    ['{', null],
    ['5', null],
    ['{"name":"a b"}', null],
    ['{"name":"a","parameters":[]}', null],
    [JSON.stringify([look, 5]), null],
    [JSON.stringify([look, look]), null],
  ] as const)
    test(`${text.slice(0, 40)} is ${names === null ? 'rejected with a message' : `${names.length} functions`}`, () => {
      const read = readTools(text)
      assert.deepEqual(
        read.tools.map((tool) => tool.function.name),
        names ?? [],
      )
      if (names === null) assert.match(read.fault ?? '', /\.$/)
      else assert.equal(read.fault, null)
    })

  test('a schema is checked only when an answer with a schema is requested', () => {
    assert.deepEqual(readSchema({ format: 'text', schema: '{' }), { schema: null, fault: null })
    assert.deepEqual(readSchema({ format: 'schema', schema: '{"a":1}' }), { schema: { a: 1 }, fault: null })
    for (const schema of ['', '[]', '5', 'null', '{']) assert.match(readSchema({ format: 'schema', schema }).fault ?? '', /JSON schema/)
  })
})

suite('messages sent to the model', () => {
  const said = (fields: Partial<Turn>) => ({ role: 'user', content: 'See', files: [], ...fields }) as Turn

  test('files follow the text, in a fence that their content cannot close', () => {
    const files = [
      { name: 'a.md', text: 'one' },
      { name: 'b.md', text: '```\ncode\n`````' },
    ]
    assert.equal(textOf(said({ files })), 'See\n\na.md:\n```\none\n```\n\nb.md:\n``````\n```\ncode\n`````\n``````')
  })

  test('images come first, calls are followed by their results, and empty messages are left out', () => {
    const url = 'data:image/png;base64,AAAA'
    assert.deepEqual(messagesOf(said({ pictures: [{ name: 'a', url }] })), [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'See' },
        ],
      },
    ])
    assert.deepEqual(Object(messagesOf(said({ content: '', pictures: [{ name: 'a', url }] }))[0]).content.length, 1)
    const calls = [
      { id: 'a', name: 'look', arguments: '{}', result: 'blue' },
      { id: 'b', name: 'go', arguments: '{}' },
    ]
    assert.deepEqual(messagesOf(said({ role: 'assistant', content: '', calls })), [
      { role: 'assistant', content: '', tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }] },
      { role: 'tool', content: 'blue', tool_call_id: 'a' },
    ])
    assert.deepEqual(messagesOf(said({ role: 'assistant', content: '' })), [])
    readChatBody({ model: 'm', messages: [...hello, ...messagesOf(said({ role: 'assistant', content: '', calls })), ...hello] })
  })
})

suite('an answer while it is generated', () => {
  const chunk = (delta: object, more: object = {}) => ({ choices: [{ delta, ...more }] })
  const whole = [
    chunk({ role: 'assistant', content: null }),
    chunk({ reasoning_content: 'so' }),
    chunk({ content: 'Hel' }),
    chunk({ content: 'lo' }),
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"at"' } }] }),
    chunk({
      tool_calls: [
        { index: 1, id: 'b', function: { name: 'go' } },
        { index: 0, function: { arguments: ':1}' } },
      ],
    }),
    chunk({ content: '' }, { finish_reason: 'tool_calls' }),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5 } },
  ]
  const succeeded = { status: 'completed', outcome: 'succeeded' }
  const answerWith = (events: readonly unknown[], inference: object = {}, output: object = {}) =>
    page.answerWith(async (path) => {
      if (path === '/console/api/requests/r1') return Response.json({ inference: { id: 'r1', status: 'completed', ...inference } })
      if (path === '/v1/responses/r1') return Response.json(output)
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    })
  const follow = async (change: Partial<typeof settings> = {}, signal = new AbortController().signal) => {
    const turn: Record<string, unknown> = { content: '', files: [] }
    const { schema } = readSchema({ ...settings, ...change })
    await followAnswer(
      turn as unknown as Turn,
      { id: 'r1', sentAt: performance.now(), schema, signal, onConnection: () => {} },
      (fields) => void Object.assign(turn, fields),
    )
    return turn
  }

  test('grows by text, thoughts and calls, and ends with its usage', async () => {
    answerWith([...whole, succeeded])
    const { facts, ...turn } = await follow()
    assert.deepEqual(turn, {
      content: 'Hello',
      files: [],
      thoughts: 'so',
      calls: [
        { id: 'a', name: 'look', arguments: '{"at":1}' },
        { id: 'b', name: 'go', arguments: '' },
      ],
      state: 'done',
    })
    assert.deepEqual([Object(facts).promptTokens, Object(facts).completionTokens], [3, 5])
    assert.ok(Object(facts).firstTextMs >= 0 && Object(facts).writingMs >= 0)
  })

  const failed = { outcome: 'failed', error: { message: 'It stopped.', code: 'inference_failed', cause: 'out of memory' } }
  const overlong = { outcome: 'failed', error: { message: 'Shorten the prompt.', code: 'context_length_exceeded' } }
  for (const [name, events, inference, expected] of [
    ['cut off by its limit', [chunk({ content: 'a' }, { finish_reason: 'length' }), succeeded], {}, { state: 'cut' }],
    [
      'failed in the middle',
      [chunk({ content: 'a' }), { status: 'completed', outcome: 'failed' }],
      failed,
      { state: 'failed', failure: 'It stopped.', requestId: 'r1', cause: 'out of memory' },
    ],
    [
      'too long to continue',
      [chunk({ content: 'a' }), { status: 'completed', outcome: 'failed' }],
      overlong,
      { state: 'failed', failure: 'Shorten the prompt.', requestId: undefined },
    ],
    ['cancelled elsewhere', [chunk({ content: 'a' }), { status: 'completed', outcome: 'cancelled' }], {}, { state: 'stopped' }],
  ] as const)
    test(`that is ${name} keeps its text and shows why`, async () => {
      answerWith(events, inference)
      const turn = await follow()
      assert.equal(turn.content, 'a')
      for (const [field, value] of Object.entries(expected)) assert.equal(turn[field], value)
    })

  test('that ended before the page followed it is fetched whole', async () => {
    const message = { content: 'Hello', tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }] }
    answerWith([succeeded], {}, { choices: [{ message, finish_reason: 'length' }], usage: { prompt_tokens: 3, completion_tokens: 5 } })
    const turn = await follow()
    assert.deepEqual([turn.content, turn.state, turn.calls], ['Hello', 'cut', [{ id: 'a', name: 'look', arguments: '{}' }]])
  })

  test('that is rejected shows the service’s message, and a cancelled one shows that it was cancelled', async () => {
    page.answerWith(
      async () =>
        new Response('{"error":{"message":"No such request.","code":"request_not_found"}}', {
          status: 404,
          headers: { 'x-request-id': 'r2' },
        }),
    )
    const refused = await follow()
    assert.deepEqual(
      [refused.state, refused.failure, refused.requestId, 'cause' in refused],
      ['failed', 'No such request.', undefined, false],
    )
    const stopped = AbortSignal.abort()
    page.answerWith(async () => Promise.reject(stopped.reason))
    assert.deepEqual((await follow({}, stopped)).state, 'stopped')
  })

  test('with a schema is validated against it, unless it calls functions', async () => {
    const schema = { format: 'schema', schema: '{"type":"object","required":["a"]}' } as const
    answerWith([chunk({ content: '{"a":1}' }, { finish_reason: 'stop' }), succeeded])
    assert.deepEqual((await follow(schema)).schemaFaults, [])
    answerWith([chunk({ content: '{}' }, { finish_reason: 'stop' }), succeeded])
    assert.equal(Object((await follow(schema)).schemaFaults).length, 1)
    answerWith([...whole, succeeded])
    assert.equal((await follow(schema)).schemaFaults, undefined)
  })

  test('is submitted once, by its key, with its place in the conversation', async () => {
    const sent: unknown[] = []
    page.answerWith(async (_path, { body, headers }) => {
      sent.push(JSON.parse(String(body)), headers)
      return Response.json({ response_id: 'r1' }, { status: 202, headers: { 'x-service-turn': 'kept' } })
    })
    const place = { conversation: 'c', turn: 't', parent: 'p', key: 'k' }
    assert.deepEqual(await submitChat({ model: 'm', messages: [...hello] }, place), { id: 'r1', isKept: true })
    const headers = { 'x-service-async': '1', 'x-service-turn': 'c/t/p', 'idempotency-key': 'k', 'content-type': 'application/json' }
    assert.deepEqual(sent, [{ model: 'm', messages: hello }, headers])
  })
})

suite('an image request while it is followed', () => {
  test('events of the service are read by their fields', async () => {
    const events = [
      { status: 'pending', queue_position: 2 },
      { status: 'running', progress: { step: 1, total: 4 } },
      { step: 2, total: 4 },
      { image_b64: 'AAAA' },
      { step: 3 },
      {},
    ]
    page.answerWith(async () => new Response(events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')))
    assert.deepEqual(await Array.fromAsync(followInference('a/b')), [
      { type: 'status', status: 'pending', queuePosition: 2, attempt: 0, outcome: null },
      { type: 'status', status: 'running', queuePosition: null, attempt: 0, outcome: null },
      { type: 'progress', step: 1, total: 4 },
      { type: 'progress', step: 2, total: 4 },
      { type: 'preview', url: 'data:image/jpeg;base64,AAAA' },
    ])
    assert.equal(page.requested.at(-1), 'GET /v1/requests/a%2Fb/events')
  })

  test("an image is submitted once, by its key, to the route of its model's family", async () => {
    assert.deepEqual((['sdxl', 'sdxl-refiner', 'sd15', 'sd2'] as const).map(imageRoute), [
      '/generate/sdxl',
      '/generate/sdxl',
      '/generate/sd',
      '/generate/sd',
    ])
    let headers: unknown
    page.answerWith(async (_path, init) => {
      headers = init.headers
      return new Response('{"response_id":"r"}', { status: 202 })
    })
    assert.equal(await submitImage('/generate/sd', {} as never, 'key'), 'r')
    assert.deepEqual(headers, {
      'x-service-async': '1',
      'x-service-preview': '1',
      'idempotency-key': 'key',
      'content-type': 'application/json',
    })
  })
})

suite('the fields of a request', () => {
  const body = (change: Partial<typeof defaultChatSettings> = {}) => chatRequestBody({ ...settings, ...change }, hello)

  test('contains no default values', () => {
    assert.deepEqual(body(), { model: 'm', messages: hello })
  })

  for (const [change, field] of [
    [{ maxTokens: 7 }, { max_tokens: 7 }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ topP: 0.5 }, { top_p: 0.5 }],
    [{ topK: 40 }, { top_k: 40 }],
    [{ minP: 0.1 }, { min_p: 0.1 }],
    [{ frequencyPenalty: -1 }, { frequency_penalty: -1 }],
    [{ presencePenalty: 2 }, { presence_penalty: 2 }],
    [{ repetitionPenalty: 1.1 }, { repetition_penalty: 1.1 }],
    [{ seed: '0' }, { seed: 0 }],
    [{ stop: 'END\n\n  \n' }, { stop: ['END', '  '] }],
    [{ format: 'json' }, { response_format: { type: 'json_object' } }],
    [{ format: 'schema', schema: 'no schema' }, {}],
    [
      { format: 'schema', schema: '{"type":"object"}' },
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: true } } },
    ],
    [{ tools: '{"name":"f"}' }, { tools: [{ type: 'function', function: { name: 'f' } }] }],
    [
      { tools: '[{"type":"function","function":{"name":"f"}}]', toolChoice: 'required' },
      { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'required' },
    ],
    [{ tools: '{"name":"not allowed"}', toolChoice: 'required' }, {}],
    [{ system: 'Be brief.' }, { messages: [{ role: 'system', content: 'Be brief.' }, ...hello] }],
    [{ system: '  \n' }, {}],
  ] as const)
    test(`maps ${JSON.stringify(change)} to the fields of the interface`, () =>
      assert.deepEqual(body(change), { model: 'm', messages: hello, ...field }))

  test('uses the settings that the panel stores in this browser', () => {
    changeChatSettings({ topK: 3 })
    assert.equal(chatSettings.value.topK, 3)
    assert.equal(JSON.parse(page.kept.get('sepia.work.chat') ?? '{}').topK, 3)
  })
})
