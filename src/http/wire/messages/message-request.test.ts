import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertRefused, type ExpectedRefusal } from '../../../../test/support/wire/assert-refused.ts'
import { parseCountRequest, parseMessageRequest } from './message-request.ts'

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const base = { model: 'm', max_tokens: 64, messages: [user('Hello')] }
const accept = (fields: object) => parseMessageRequest({ ...base, ...fields })
const conversation = (messages: readonly object[], more: object = {}) => {
  const { input } = accept({ messages, ...more }).request
  assert.ok(input.type === 'chat')
  return input
}
const look = { name: 'look', input_schema: { type: 'object' } }
const called = { type: 'tool_use', id: 'c1', name: 'look', input: { at: 'the sky' } }
const result = { type: 'tool_result', tool_use_id: 'c1', content: 'blue' }

suite('messages in Anthropic’s format', () => {
  test('defaults are filled in', () => {
    const { request, stream, thoughts } = accept({})
    const { sampling, ...rest } = request
    assert.deepEqual(rest, {
      model: 'm',
      input: {
        type: 'chat',
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [],
        toolChoice: 'none',
        parallelToolCalls: true,
        effort: 'none',
        effortIsWish: true,
      },
      maxTokens: 64,
      stop: [],
      choices: 1,
      topLogprobs: null,
      responseFormat: { type: 'text' },
    })
    assert.deepEqual([sampling.temperature, sampling.topP, sampling.topK, stream, thoughts], [1, 1, 0, false, true])
  })

  test('sampling fields reach the sampler', () => {
    const { request, stream } = accept({ temperature: 0.5, top_p: 0.25, top_k: 7, stop_sequences: ['a', 'b'], stream: true })
    assert.deepEqual([request.sampling.temperature, request.sampling.topP, request.sampling.topK], [0.5, 0.25, 7])
    assert.deepEqual([request.stop, stream], [['a', 'b'], true])
  })

  for (const [field, good, bad] of [
    ['model', ['x'], [undefined, null, '', 5]],
    ['max_tokens', [1, 2 ** 31 - 1], [undefined, null, 0, -1, 1.5, '5', 2 ** 31]],
    ['messages', [[user('')]], [undefined, null, [], 'Hello', {}]],
    ['temperature', [0, 1, null], [-0.1, 1.1, '1']],
    ['top_p', [0, 1, null], [-0.1, 1.1]],
    ['top_k', [-1, 0, 1_000_000, null], [-2, 0.5, 1_000_001]],
    ['stop_sequences', [[], ['x'], [''], Array(64).fill('x'), null], ['x', Array(65).fill('x')]],
    ['stream', [true, null], ['yes', 1]],
    ['service_tier', ['auto', 'standard_only', null], ['flex']],
    ['system', ['You', [{ type: 'text', text: 'You' }], null], [5, {}]],
  ] as const)
    test(`${field} is accepted within its range and refused outside it`, () => {
      for (const value of good) accept({ [field]: value })
      for (const value of bad) assertRefused(() => accept({ [field]: value }), { param: field })
    })

  for (const [name, fields, expected] of [
    ['an unknown field', { best_of: 2 }, { code: 'unsupported_parameter', param: 'best_of' }],
    ['a thread', { thread: { id: 't' } }, { code: 'unsupported_parameter', param: 'thread', says: /whole conversation/ }],
    ['a name in the metadata that is not known', { metadata: { name: 'x' } }, { code: 'unsupported_parameter', param: 'metadata.name' }],
    [
      'a picture',
      { messages: [user([{ type: 'image', source: {} }])] },
      { code: 'unsupported_parameter', param: 'messages[0].content[0]', says: /image/ },
    ],
    [
      'a thirty-third picture of a message',
      { messages: [user(Array(33).fill({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }))] },
      { param: 'messages[0].content', says: /more than 32 images/ },
    ],
    [
      'a picture that is not base64',
      { messages: [user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '?' } }])] },
      { param: 'messages[0].content[0].source.data' },
    ],
    [
      'a picture that an assistant shows',
      { messages: [user('a'), assistant([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }])] },
      { param: 'messages[1].content[0]', says: /belongs to user messages/ },
    ],
    [
      'a picture in what a tool said',
      { messages: [user('a'), assistant([called]), user([{ ...result, content: [{ type: 'image', source: {} }] }])] },
      { code: 'unsupported_parameter', param: 'messages[2].content[0].content[0]' },
    ],
    [
      'a search of Anthropic’s',
      { tools: [look, { type: 'web_search_20250305', name: 'search' }] },
      { code: 'unsupported_parameter', param: 'tools[1]' },
    ],
    ['a tool twice', { tools: [look, look] }, { param: 'tools[1].name', says: /look appears twice/ }],
    ['a tool without a schema', { tools: [{ name: 'look' }] }, { param: 'tools[0].input_schema' }],
    ['a choice of any of no tools', { tool_choice: { type: 'any' } }, { param: 'tool_choice', says: /needs `tools`/ }],
    [
      'a choice that there is not',
      { tools: [look], tool_choice: { type: 'tool', name: 'see' } },
      { param: 'tool_choice', says: /names see/ },
    ],
    ['a call by the user', { messages: [user([called])] }, { param: 'messages[0].content[0]', says: /belongs to assistant/ }],
    [
      'a result by the assistant',
      { messages: [user('a'), assistant([called, result])] },
      { param: 'messages[1].content[1]', says: /belongs to user/ },
    ],
    ['thoughts of the user', { messages: [user([{ type: 'thinking', thinking: 'x' }])] }, { param: 'messages[0].content[0]' }],
    [
      'thoughts that leave no room',
      { thinking: { type: 'enabled', budget_tokens: 64 } },
      { param: 'thinking.budget_tokens', says: /less than `max_tokens`/ },
    ],
    [
      'two formats',
      { output_format: { type: 'json_schema', schema: {} }, output_config: { format: { type: 'json_schema', schema: {} } } },
      { param: 'output_format' },
    ],
    [
      'an edit of something else',
      { context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }] } },
      { code: 'unsupported_parameter', param: 'context_management.edits[1]' },
    ],
    [
      'an edit of no type',
      { context_management: { edits: [{ type: { toString: 1 } }] } },
      { code: 'unsupported_parameter', param: 'context_management.edits[0]' },
    ],
  ] as readonly (readonly [string, object, ExpectedRefusal])[])
    test(`${name} is refused by name`, () => assertRefused(() => accept(fields), expected))

  for (const body of [null, 5, 'x', [], [base]])
    test(`${JSON.stringify(body)} is refused as a body`, () => assertRefused(() => parseMessageRequest(body), { param: null }))

  test('all faults are reported at once', () => {
    assertRefused(() => accept({ temperature: 5, top_p: 5, unknown: 1 }), {
      param: 'temperature',
      says: /3 fields.*temperature.*top_p.*unknown/,
    })
  })
})

suite('conversations in Anthropic’s format', () => {
  test('the system prompt comes first with its blocks as lines, and an empty one is left out', () => {
    const readBack = (system: unknown) => conversation([user('a')], { system }).messages
    assert.deepEqual(readBack('You'), [
      { role: 'system', content: 'You' },
      { role: 'user', content: 'a' },
    ])
    const blocks = [
      { type: 'text', text: 'One' },
      { type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } },
    ]
    assert.deepEqual(readBack(blocks)[0], { role: 'system', content: 'One\nTwo' })
    assert.deepEqual(readBack(''), [{ role: 'user', content: 'a' }])
    assert.deepEqual(readBack([]), [{ role: 'user', content: 'a' }])
  })

  test('tool results directly follow their calls, and other text follows the results', () => {
    const { messages } = conversation([
      user('a'),
      assistant([{ type: 'text', text: 'Let me' }, called]),
      user([{ type: 'text', text: 'so?' }, result]),
    ])
    assert.deepEqual(messages.slice(1), [
      { role: 'assistant', content: 'Let me', toolCalls: [{ id: 'c1', name: 'look', arguments: '{"at":"the sky"}' }] },
      { role: 'tool', content: 'blue', toolCallId: 'c1' },
      { role: 'user', content: 'so?' },
    ])
  })

  for (const [name, block, content] of [
    ['nothing', { ...result, content: undefined }, ''],
    [
      'blocks',
      {
        ...result,
        content: [
          { type: 'text', text: 'dark' },
          { type: 'text', text: 'blue' },
        ],
      },
      'dark\nblue',
    ],
    ['an error', { ...result, is_error: true }, 'Error: blue'],
    ['an error without words', { ...result, content: [], is_error: true }, 'Error: '],
  ] as const)
    test(`a result of ${name} becomes ${JSON.stringify(content)} and adds no user message`, () => {
      const { messages } = conversation([user('a'), assistant([called]), user([block])])
      assert.deepEqual(messages.slice(2), [{ role: 'tool', content, toolCallId: 'c1' }])
    })

  test('pictures of results follow all results, before the rest of the turn', () => {
    const png = (letter: string) => `iVBORw0KGgoAAAA${letter}`
    const shown = (letter: string) => ({ type: 'picture', mediaType: 'image/png', base64: png(letter) })
    const image = (letter: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png(letter) } })
    const other = { ...result, tool_use_id: 'c2', content: [image('B')] }
    const turn = [{ ...result, content: [{ type: 'text', text: 'blue' }, image('A')] }, other]
    const messages = (...more: readonly object[]) =>
      conversation([user('a'), assistant([called, { ...called, id: 'c2' }]), user([...turn, ...more])]).messages.slice(2)
    const results = [
      { role: 'tool', content: 'blue', toolCallId: 'c1' },
      { role: 'tool', content: '(The result is the picture that follows.)', toolCallId: 'c2' },
    ]
    assert.deepEqual(messages(), [...results, { role: 'user', content: '', parts: [shown('A'), shown('B')] }])
    assert.deepEqual(messages({ type: 'text', text: 'See?' }), [
      ...results,
      { role: 'user', content: 'See?', parts: [shown('A'), shown('B'), { type: 'text', text: 'See?' }] },
    ])
    assertRefused(
      () => conversation([user('a'), assistant([called]), user([{ ...result, content: Array.from({ length: 33 }, () => image('A')) }])]),
      { param: 'messages[2].content' },
    )
    assertRefused(
      () =>
        conversation([
          user('a'),
          assistant([called]),
          user([{ ...result, content: [{ ...image('A'), source: { ...image('A').source, data: '!' } }] }]),
        ]),
      { param: 'messages[2].content[0].content[0].source.data' },
    )
  })

  test('a call without text has null content, reasoning is joined, and redacted reasoning is left out', () => {
    const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: 's' })
    const said = [thought('one'), { type: 'redacted_thinking', data: 'x' }, thought('two'), thought(''), called]
    assert.deepEqual(conversation([user('a'), assistant(said), user([result])]).messages[1], {
      role: 'assistant',
      content: null,
      toolCalls: [{ id: 'c1', name: 'look', arguments: '{"at":"the sky"}' }],
      thoughts: 'one\ntwo',
    })
  })

  for (const [name, last, opening] of [
    ['a text of the assistant', assistant('The'), 'last-message'],
    ['blocks of the assistant', assistant([{ type: 'text', text: 'The' }]), 'last-message'],
    ['an empty text of the assistant', assistant(''), undefined],
    ['a call', assistant([{ type: 'text', text: 'The' }, called]), undefined],
    ['the user', user('b'), undefined],
  ] as const)
    test(`a conversation that ends in ${name} ${opening === undefined ? 'is answered in a new turn' : 'is continued'}`, () => {
      assert.equal(conversation([user('a'), last]).opening, opening)
    })

  test('a system message in the middle stays in place', () => {
    assert.deepEqual(conversation([user('a'), { role: 'system', content: 'now' }, user('b')]).messages[1], {
      role: 'system',
      content: 'now',
    })
  })
})

suite('tools and reasoning in Anthropic’s format', () => {
  for (const [choice, expected, parallel] of [
    [undefined, 'auto', true],
    [{ type: 'auto' }, 'auto', true],
    [{ type: 'auto', disable_parallel_tool_use: true }, 'auto', false],
    [{ type: 'any', disable_parallel_tool_use: false }, 'required', true],
    [{ type: 'none' }, 'none', true],
    [{ type: 'tool', name: 'look', disable_parallel_tool_use: true }, { name: 'look' }, false],
  ] as const)
    test(`the tool choice ${JSON.stringify(choice)} is read as ${JSON.stringify(expected)}`, () => {
      const { toolChoice, parallelToolCalls, tools } = conversation([user('a')], { tools: [look], tool_choice: choice })
      assert.deepEqual([toolChoice, parallelToolCalls], [expected, parallel])
      assert.deepEqual(tools, [{ name: 'look', description: null, parameters: { type: 'object' } }])
    })

  for (const [fields, effort, budget, shown] of [
    [{}, 'none', undefined, true],
    [{ thinking: { type: 'disabled' } }, 'none', undefined, true],
    [{ thinking: { type: 'enabled', budget_tokens: 10 } }, 'high', 10, true],
    [{ thinking: { type: 'enabled', budget_tokens: 10, display: 'omitted' } }, 'high', 10, false],
    [{ thinking: { type: 'adaptive', display: 'summarized' } }, 'high', undefined, true],
    [{ output_config: { effort: 'low' } }, 'low', undefined, true],
    [{ output_config: { effort: 'max' } }, 'max', undefined, true],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, 'none', undefined, true],
  ] as const)
    test(`${JSON.stringify(fields)} sets the effort to ${effort}`, () => {
      const { input } = accept(fields).request
      assert.ok(input.type === 'chat')
      assert.deepEqual([input.effort, input.effortIsWish, input.thoughtTokens, accept(fields).thoughts], [effort, true, budget, shown])
    })

  test('an output schema is accepted in both fields, and errors name the field that was used', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } }
    const schema = { type: 'object' }
    assert.deepEqual(accept({ output_config: { format } }).request.responseFormat, { type: 'json_schema', schema, field: 'output_config' })
    assert.deepEqual(accept({ output_format: format }).request.responseFormat, { type: 'json_schema', schema, field: 'output_format' })
  })

  test('plain-text documents are read as text, and others are refused by name', () => {
    const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Cats purr.' }, title: 'On cats' }
    const parts = { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Dogs bark.' }] }, context: null }
    const { input } = accept({ messages: [user([plain, parts, { type: 'text', text: 'Who barks?' }])] }).request
    assert.deepEqual(Object(input).messages, [{ role: 'user', content: 'On cats\nCats purr.\nDogs bark.\nWho barks?' }])
    const second = accept({ messages: [user('a'), assistant([called]), user([{ ...result, content: [plain] }])] }).request.input
    assert.equal(Object(second).messages[2].content, 'On cats\nCats purr.')
    const foreign = { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } }
    assertRefused(() => accept({ messages: [user([foreign])] }), { code: 'unsupported_parameter', param: 'messages[0].content[0]' })
  })

  test('search results, and tools that a search has found, are read as text', () => {
    const found = {
      type: 'search_result',
      source: 'https://example.org',
      title: 'On cats',
      content: [{ type: 'text', text: 'Cats purr.' }],
    }
    const { input } = accept({ messages: [user([found])] }).request
    assert.deepEqual(Object(input).messages, [{ role: 'user', content: 'On cats\nhttps://example.org\nCats purr.' }])
    const content = [found, { type: 'tool_reference', tool_name: 'look' }]
    const second = accept({ messages: [user('a'), assistant([called]), user([{ ...result, content, toolset_name: null }])] }).request.input
    assert.equal(Object(second).messages[2].content, 'On cats\nhttps://example.org\nCats purr.\nThe tool look is available.')
    assertRefused(() => accept({ messages: [assistant([found])] }), { param: 'messages[0].content[0]' })
  })

  test('extra fields of blocks and tools have no effect, and empty lists are accepted', () => {
    const noted = { ...look, input_examples: [{}], defer_loading: true, allowed_callers: ['direct'] }
    const { request } = accept({ tools: [noted], mcp_servers: [], container: null, tool_choice: { type: 'auto' } })
    assert.deepEqual(request.input, accept({ tools: [look] }).request.input)
    refuseServers()
    const history = [user('a'), assistant([{ ...called, caller: { type: 'direct' } }]), user([result])]
    assert.deepEqual(
      accept({ messages: history }).request.input,
      accept({ messages: [user('a'), assistant([called]), user([result])] }).request.input,
    )
  })

  const refuseServers = () => assertRefused(() => accept({ mcp_servers: [{ type: 'url' }] }), { param: 'mcp_servers' })

  test('ids of any form, results without a call and inputs as text are accepted', () => {
    for (const id of ['functions.look:0', 'c 1', 'x'.repeat(400)])
      for (const [input, written] of [
        ['{"a":1}', '{"a":1}'],
        ['', '{}'],
        [null, '{}'],
        [{ a: 1 }, '{"a":1}'],
      ]) {
        const messages = [user('a'), assistant([{ ...called, id, input }]), user([{ ...result, tool_use_id: id }])]
        const [, said, found] = Object(accept({ messages }).request.input).messages
        assert.deepEqual([said.toolCalls[0].id, said.toolCalls[0].arguments, found.toolCallId], [id, written, id])
      }
    assert.equal(Object(accept({ messages: [user([result])] }).request.input).messages[0].role, 'tool')
  })

  test('counting tokens accepts the conversation without generation fields', () => {
    const { max_tokens: _, ...rest } = base
    const { model, input } = parseCountRequest({ ...rest, system: 'You', tools: [look], cache_control: {} })
    assert.deepEqual([model, input.messages.length, input.tools.length], ['m', 2, 1])
    assertRefused(() => parseCountRequest(base), { code: 'unsupported_parameter', param: 'max_tokens' })
    parseCountRequest({ ...rest, thinking: { type: 'enabled', budget_tokens: 4096 } })
  })
})
