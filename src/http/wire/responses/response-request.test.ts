import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertRefused, type ExpectedRefusal } from '../../../../test/support/wire/assert-refused.ts'
import type { InputItem } from './input-items.ts'
import { parseResponseRequest, readResponseRequest } from './response-request.ts'
import { pack } from './tool-history.ts'

const base = { model: 'm', input: 'Hello' }
const read = (fields: object, earlier: readonly InputItem[] = []) =>
  readResponseRequest(parseResponseRequest({ ...base, ...fields }), earlier, { tokens: 99 })
const conversation = (input: unknown, more: object = {}, earlier: readonly InputItem[] = []) => {
  const { input: read_ } = read({ input, ...more }, earlier)
  assert.ok(read_.type === 'chat')
  return read_
}
const look = { type: 'function', name: 'look' }
const called = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' } as const
const output = { type: 'function_call_output', call_id: 'c1', output: 'blue' } as const
const says = (role: string, content: unknown) => ({ role, content })
const logprobs = { include: ['message.output_text.logprobs'] }

suite('requests to the Responses interface', () => {
  test('defaults are filled in, and the token limit is the context', () => {
    const { sampling, ...rest } = read({})
    assert.deepEqual(rest, {
      model: 'm',
      input: { type: 'chat', messages: [{ role: 'user', content: 'Hello' }], tools: [], toolChoice: 'none', parallelToolCalls: true },
      maxTokens: 99,
      maxTokensIsDefault: true,
      stop: [],
      choices: 1,
      topLogprobs: null,
      responseFormat: { type: 'text' },
    })
    assert.deepEqual([sampling.temperature, sampling.topP, sampling.topK], [1, 1, 0])
  })

  test('sampling fields reach the sampler', () => {
    const request = read({
      max_output_tokens: 7,
      temperature: 2,
      top_p: 0.5,
      service_tier: 'flex',
      reasoning: { effort: 'low', context: 'auto', mode: 'standard' },
    })
    assert.deepEqual([request.maxTokens, request.maxTokensIsDefault, request.priority], [7, undefined, 10])
    assert.deepEqual([request.sampling.temperature, request.sampling.topP], [2, 0.5])
    assert.ok(request.input.type === 'chat' && request.input.effort === 'low')
  })

  for (const [fields, expected] of [
    [{}, null],
    [logprobs, 0],
    [{ ...logprobs, top_logprobs: 5 }, 5],
  ] as const)
    test(`${JSON.stringify(fields)} requests ${expected} alternatives`, () => assert.equal(read(fields).topLogprobs, expected))

  for (const [format, expected] of [
    [undefined, { type: 'text' }],
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json_object' }, { type: 'json_object' }],
    [
      { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true },
      { type: 'json_schema', schema: { type: 'object' }, field: 'text', name: 'a', strict: true },
    ],
  ] as const)
    test(`the format ${format?.type ?? '(none)'} is read`, () => {
      assert.deepEqual(read({ text: { format } }).responseFormat, expected)
    })

  for (const [name, fields, expected] of [
    ['an unknown field', { max_tokens: 5 }, { code: 'unsupported_parameter', param: 'max_tokens' }],
    ['no model', { model: undefined }, { param: 'model' }],
    ['no items', { input: [] }, { param: 'input' }],
    ['a response id that is a number', { previous_response_id: 1 }, { param: 'previous_response_id' }],
    ['a stream in the background', { background: true, stream: true }, { param: 'stream', says: /poll the response/ }],
    ['the background without a store', { background: true, store: false }, { param: 'store' }],
    ['options of no stream', { stream_options: {} }, { param: 'stream_options' }],
    ['alternatives that are not included', { top_logprobs: 3 }, { param: 'top_logprobs', says: /message\.output_text\.logprobs/ }],
    ['an include that there is not', { include: ['file_search_call.everything'] }, { param: 'include[0]' }],
    ['a prompt that would be cut somehow', { truncation: 'middle' }, { param: 'truncation' }],
    [
      'a picture',
      { input: [says('user', [{ type: 'input_image', image_url: 'x' }])] },
      { param: 'input[0].content[0].image_url', says: /other addresses are not fetched/ },
    ],
    [
      'a picture that an assistant shows',
      { input: [says('assistant', [{ type: 'input_image', image_url: 'data:image/png;base64,iVBO' }])] },
      { param: 'input[0].content[0]', says: /images belong to user messages/ },
    ],
    [
      'more pictures than a message may have',
      { input: [says('user', Array(33).fill({ type: 'input_image', image_url: 'data:image/png;base64,iVBO' }))] },
      { param: 'input[0].content', says: /more than 32 images/ },
    ],
    [
      'a file',
      { input: [says('user', 'a'), says('user', [{ type: 'input_file' }])] },
      { code: 'unsupported_parameter', param: 'input[1].content[0]' },
    ],
    [
      'a reference',
      { input: [{ type: 'item_reference', id: 'x' }] },
      { code: 'unsupported_parameter', param: 'input[0]', says: /item_reference/ },
    ],
    ['an item of no type', { input: [{ type: { toString: 1 } }] }, { param: 'input[0].type' }],
    ['nothing but what a search left', { input: [{ type: 'web_search_call' }] }, { param: 'input' }],
    [
      'a summary of another service',
      { input: [{ type: 'compaction', encrypted_content: 'gAAAAB' }] },
      { param: 'input[0].encrypted_content', says: /another service/ },
    ],
    [
      'a picture from a function that is none',
      { input: [called, { ...output, output: [{ type: 'input_image', image_url: 'x' }] }] },
      { code: 'invalid_request_error', param: 'input[1].output[0].image_url' },
    ],
    [
      'a built-in tool',
      { tools: [look, { type: 'web_search' }] },
      { code: 'unsupported_parameter', param: 'tools[1]', says: /web_search/ },
    ],
    ['a function twice', { tools: [look, look] }, { param: 'tools', says: /look appears twice/ }],
    ['a call without functions', { tool_choice: 'required' }, { param: 'tool_choice' }],
    [
      'a choice that is not there',
      { tools: [look], tool_choice: { type: 'function', name: 'see' } },
      { param: 'tool_choice', says: /names see/ },
    ],
    ['an output of no call', { input: [output] }, { param: 'input[0].call_id' }],
    ['an output before its call', { input: [output, called] }, { param: 'input[0].call_id' }],
    [
      'arguments deeper than any model writes',
      { input: [{ ...called, arguments: '['.repeat(101) }] },
      { param: 'input[0].arguments', says: /levels deep/ },
    ],
    ['a role that there is not', { input: [says('tool', 'a')] }, { param: 'input[0].role' }],
  ] as readonly (readonly [string, object, ExpectedRefusal])[])
    test(`${name} is refused by name`, () => assertRefused(() => read(fields), expected))
})

suite('items as a conversation', () => {
  test('a tool output may belong to a call of the previous response', () => {
    const { messages } = conversation([output], {}, [{ role: 'user', content: 'a' }, called])
    assert.deepEqual(messages, [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c1', content: 'blue' },
    ])
  })

  test('reasoning, text and calls of one turn become one message, and the next turn another', () => {
    const thought = {
      type: 'reasoning',
      content: [
        { type: 'reasoning_text', text: 'so' },
        { type: 'reasoning_text', text: 'then' },
      ],
    }
    const { messages } = conversation([
      says('user', 'a'),
      thought,
      says('assistant', [
        { type: 'output_text', text: 'Let' },
        { type: 'refusal', refusal: 'No' },
      ]),
      called,
      { ...called, call_id: 'c2' },
      says('assistant', 'more'),
    ])
    assert.deepEqual(messages.slice(1), [
      {
        role: 'assistant',
        content: 'Let\nNo',
        toolCalls: [
          { id: 'c1', name: 'look', arguments: '{}' },
          { id: 'c2', name: 'look', arguments: '{}' },
        ],
        thoughts: 'so\nthen',
      },
      { role: 'assistant', content: 'more' },
    ])
  })

  for (const [name, item, thoughts] of [
    ['shown', { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'so' }], encrypted_content: pack('thoughts', 'other') }, 'so'],
    ['packed by us', { type: 'reasoning', encrypted_content: pack('thoughts', 'dünn 🙂') }, 'dünn 🙂'],
    ['encrypted by others', { type: 'reasoning', encrypted_content: 'gAAAAB' }, undefined],
    ['only summed up', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'short' }] }, undefined],
  ] as const)
    test(`reasoning that is ${name} is read as ${JSON.stringify(thoughts)}`, () => {
      const [, message] = conversation([says('user', 'a'), item, says('assistant', 'b')]).messages
      assert.deepEqual(message, { role: 'assistant', content: 'b', ...(thoughts !== undefined && { thoughts }) })
    })

  test('markers and notes of other services have no effect, and texts of chats and arguments as objects are read', () => {
    const marks = { prompt_cache_breakpoint: { type: 'implicit' }, provider_specific_fields: {}, cache_control: null }
    const noted = { ...called, ...marks, async: false, caller: { type: 'direct' }, created_by: 'a' }
    const answered = { ...output, ...marks, name: 'look', namespace: null, caller: null }
    const asked = (type: string) => ({ ...says('user', [{ type, text: 'a', ...marks }]), ...marks })
    const plain = conversation([says('user', 'a'), called, output])
    assert.deepEqual(conversation([asked('input_text'), noted, answered]), plain)
    assert.deepEqual(
      conversation([asked('text'), { ...called, arguments: {} }, { ...output, output: [{ type: 'text', text: 'blue' }] }]),
      plain,
    )
    assert.deepEqual(conversation([asked('text'), { ...called, arguments: null }, output]), plain)
    const tools = [{ ...look, ...marks, allowed_callers: ['direct'], output_schema: {}, async: false }]
    assert.deepEqual(conversation('a', { tools }), conversation('a', { tools: [look] }))
  })

  test('reasoning at the end adds no message', () => {
    const { messages } = conversation([says('user', 'a'), { type: 'reasoning' }, { type: 'reasoning' }])
    assert.deepEqual(messages, [{ role: 'user', content: 'a' }])
  })

  test('instructions and leading developer messages become one system message', () => {
    const items = [
      says('developer', 'Be brief'),
      says('system', [
        { type: 'input_text', text: 'in' },
        { type: 'input_text', text: 'rhyme' },
      ]),
      says('user', 'a'),
    ]
    assert.deepEqual(conversation(items, { instructions: 'You' }).messages, [
      { role: 'system', content: 'You\n\nBe brief\n\nin\nrhyme' },
      { role: 'user', content: 'a' },
    ])
    assert.deepEqual(conversation([says('user', 'a'), says('developer', 'now')]).messages[1], { role: 'system', content: 'now' })
    assert.deepEqual(conversation([says('system', 'only')]).messages, [{ role: 'system', content: 'only' }])
  })

  for (const [choice, expected] of [
    [undefined, 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ type: 'function', name: 'room__enter' }, { name: 'room__enter' }],
  ] as const)
    test(`functions in namespaces get the namespace as a prefix, and the choice ${JSON.stringify(choice)} is kept`, () => {
      const inner = { type: 'function', name: 'enter', parameters: { type: 'object', properties: { at: {} } } }
      const tools = [look, { type: 'namespace', name: 'room', tools: [inner] }]
      const read_ = conversation('a', { tools, tool_choice: choice, parallel_tool_calls: false })
      assert.deepEqual(read_.tools, [
        { name: 'look', description: null, parameters: { type: 'object', properties: {} } },
        { name: 'room__enter', description: null, parameters: inner.parameters },
      ])
      assert.deepEqual([read_.toolChoice, read_.parallelToolCalls], [expected, false])
      const items = [says('user', 'a'), { ...called, name: 'enter', namespace: 'room' }]
      const [, message] = conversation(items, { tools }).messages
      assert.ok(message?.role === 'assistant')
      assert.equal(message.toolCalls?.[0]?.name, 'room__enter')
    })

  const patch = {
    type: 'custom',
    name: 'patch',
    description: 'Edits.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  }

  test('a custom tool becomes a function with one text field and its grammar in the description', () => {
    const { tools } = conversation('a', { tools: [patch] })
    assert.deepEqual(tools, [
      {
        name: 'patch',
        description: 'Edits.\n\nThe input follows this lark grammar:\nstart: "a"',
        parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false },
      },
    ])
  })

  test('tools that an item adds are offered too', () => {
    const added = { type: 'additional_tools', role: 'developer', tools: [{ type: 'namespace', name: 'room', tools: [patch] }] }
    const { tools } = conversation([added, says('user', 'a')], { tools: [look] })
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['look', 'room__patch'],
    )
  })

  test('tool names may be as long as those of MCP servers, with dots, slashes and colons', () => {
    const long = `mcp__files.read:${'x'.repeat(100)}`
    const call = { type: 'function_call', call_id: 'a', name: long, arguments: '{}' }
    const { tools } = conversation([says('user', 'a'), call], {
      tools: [
        { ...look, name: long },
        { ...patch, name: 'a/b' },
      ],
    })
    assert.deepEqual(
      tools.map(({ name }) => name),
      [long, 'a/b'],
    )
  })

  test('only allowed_tools are offered', () => {
    const choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] }
    const { tools, toolChoice } = conversation('a', { tools: [look, patch], tool_choice: choice })
    assert.deepEqual([tools.map(({ name }) => name), toolChoice], [['look'], 'required'])
  })

  for (const [call, result, expected] of [
    [
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
      ['patch', '{"input":"*** Begin"}', 'ok'],
    ],
    [
      { type: 'local_shell_call', call_id: 'c', status: 'completed', action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', id: 'c', output: '{"exit":0}' },
      ['local_shell', '{"type":"exec","command":["ls"]}', '{"exit":0}'],
    ],
    [
      { type: 'tool_search_call', call_id: 'c', arguments: { query: 'x' } },
      { type: 'tool_search_output', call_id: 'c', tools: [] },
      ['tool_search', '{"query":"x"}', '[]'],
    ],
  ] as const)
    test(`${call.type} is read as a tool call in the history`, () => {
      const { messages } = conversation([says('user', 'a'), call, { type: 'web_search_call', id: 'ws_1', status: 'completed' }, result])
      assert.deepEqual(messages.slice(1), [
        { role: 'assistant', content: null, toolCalls: [{ id: 'c', name: expected[0], arguments: expected[1] }] },
        { role: 'tool', toolCallId: 'c', content: expected[2] },
      ])
    })

  test('an MCP call becomes a call and its output', () => {
    const item = { type: 'mcp_call', id: 'm1', name: 'find', server_label: 's', arguments: '{"a":1}', output: 'found' }
    assert.deepEqual(conversation([says('user', 'a'), item]).messages.slice(1), [
      { role: 'assistant', content: null, toolCalls: [{ id: 'm1', name: 'find', arguments: '{"a":1}' }] },
      { role: 'tool', toolCallId: 'm1', content: 'found' },
    ])
  })

  test('a compaction item of Sepia starts the conversation with its summary', () => {
    const items = [{ type: 'compaction', encrypted_content: pack('summary', 'They like blue.') }, says('user', 'a')]
    assert.deepEqual(conversation(items).messages[0], { role: 'system', content: 'Summary of the conversation so far:\nThey like blue.' })
  })

  test('verbosity adds an instruction, and truncation may remove the oldest turns', () => {
    const read_ = conversation('a', { instructions: 'You', text: { verbosity: 'low' }, truncation: 'auto' })
    assert.deepEqual([read_.messages[0]?.content, read_.dropsOldest], ['You\n\nAnswer as briefly as you can.', true])
    assert.equal(conversation('a', { text: { verbosity: 'medium' } }).messages.length, 1)
  })

  test('pictures of outputs follow all outputs, in the next turn of the user or in one of their own', () => {
    const png = (letter: string) => `iVBORw0KGgoAAAA${letter}`
    const shown = (letter: string) => ({ type: 'picture', mediaType: 'image/png', base64: png(letter) })
    const part = (letter: string) => ({ type: 'input_image', image_url: `data:image/png;base64,${png(letter)}` })
    const calls = [called, { ...called, call_id: 'c2' }]
    const one = { ...output, output: [{ type: 'input_text', text: 'blue' }, part('A')] }
    const other = { type: 'custom_tool_call_output', call_id: 'c2', output: [part('B')] }
    const results = [
      { role: 'tool', toolCallId: 'c1', content: 'blue' },
      { role: 'tool', toolCallId: 'c2', content: '(The result is the picture that follows.)' },
    ]
    assert.deepEqual(conversation([...calls, one, other]).messages.slice(1), [
      ...results,
      { role: 'user', content: '', parts: [shown('A'), shown('B')] },
    ])
    assert.deepEqual(conversation([...calls, one, other, says('user', 'See?')]).messages.slice(1), [
      ...results,
      { role: 'user', content: 'See?', parts: [shown('A'), shown('B'), { type: 'text', text: 'See?' }] },
    ])
    const next = conversation([...calls, one, other, says('assistant', 'Yes.'), says('user', 'Why?')]).messages
    assert.deepEqual(
      next.map(({ role }) => role),
      ['assistant', 'tool', 'tool', 'user', 'assistant', 'user'],
    )
  })
})
