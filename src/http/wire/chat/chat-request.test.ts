import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeTextRequest } from '../../../../test/support/text-request.ts'
import { ServiceError } from '../../../core/error.ts'
import { createChatRequestParser, type ParsedChat } from './chat-request.ts'
import { publishedBodies, widePenalties } from './sampling-fields.ts'

const parse = createChatRequestParser(publishedBodies)
const user = (content: unknown) => ({ role: 'user', content })
const base = { model: 'm', messages: [user('Hello')] }

function accept(fields: object): ParsedChat {
  return parse({ ...base, ...fields })
}

function refuse(fields: object, param: string, code = 'invalid_request_error', parser = parse): void {
  assert.throws(
    () => parser({ ...base, ...fields }),
    (error: unknown) => {
      assert.ok(error instanceof ServiceError)
      assert.deepEqual([error.code, error.param], [code, param], `${JSON.stringify(fields)}: ${error.message}`)
      assert.match(error.message, /\.$/)
      return true
    },
  )
}

const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } }
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

suite('chat requests', () => {
  test('defaults are filled in, and the seed is random', () => {
    const { request, delivery } = accept({})
    const { seed } = request.sampling
    assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)
    const { input, sampling, ...standard } = makeTextRequest('Hello')
    assert.deepEqual(request, {
      ...standard,
      model: 'm',
      input: { ...input, toolChoice: 'none' },
      maxTokens: 2 ** 31 - 1,
      maxTokensIsDefault: true,
      sampling: { ...sampling, seed },
    })
    assert.deepEqual(delivery, { stream: false, includeUsage: false })
  })

  test('an empty list of tools is accepted and counts as no tools', () => {
    assert.deepEqual(accept({ tools: [] }).request.input, accept({}).request.input)
    assert.deepEqual(accept({ tools: [], tool_choice: 'auto' }).request.input, accept({ tool_choice: 'auto' }).request.input)
    refuse({ tools: [], tool_choice: 'required' }, 'tool_choice')
  })

  const ranges: Readonly<Record<string, { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>> = {
    model: { good: ['x', 'a/b:c'], bad: [undefined, null, '', 5] },
    messages: { good: [[user('')]], bad: [undefined, null, [], 'Hello', {}] },
    max_tokens: { good: [1, 100_000, -1, null], bad: [0, -2, 1.5, '5', true] },
    max_completion_tokens: { good: [1, -1, null], bad: [0, 1.5, '5'] },
    temperature: { good: [0, 0.5, 2, null], bad: [-0.01, 2.01, '1', true] },
    top_p: { good: [0, 0.5, 1, null], bad: [-0.01, 1.01, '1'] },
    top_k: { good: [-1, 0, 40, null], bad: [-2, 0.5, '4'] },
    min_p: { good: [0, 0.05, 1, null], bad: [-0.01, 1.01] },
    frequency_penalty: { good: [0, 0.5, 1, null], bad: [-0.01, 1.01, '0'] },
    presence_penalty: { good: [0, 0.5, 1, null], bad: [-0.01, 1.01, '0'] },
    repetition_penalty: { good: [0.1, 1, 2, null], bad: [0, -1, 2.01] },
    seed: { good: [0, -5, 2 ** 40, null], bad: [0.5, '1', 2 ** 60] },
    stop: { good: ['x', [], ['a'], Array(64).fill('x'), '', [''], null], bad: [5, [5], Array(65).fill('x')] },
    n: { good: [1, 16, null], bad: [0, 17, 1.5] },
    stream: { good: [true, false, null], bad: ['true', 1] },
    logprobs: { good: [true, false, null], bad: [5, 'true'] },
    logit_bias: {
      good: [{}, { '0': 1, '5': 100, '6': -100 }, null],
      bad: [{ a: 1 }, { '1': 1, '01': -1 }, { '00': 1 }, { '5': 101 }, { '5': '1' }, [1]],
    },
    response_format: {
      good: [
        { type: 'text' },
        { type: 'json_object' },
        { type: 'json_object', schema: {} },
        { type: 'json_schema', json_schema: { name: 'x', schema: {} } },
        null,
      ],
      bad: [
        { type: 'xml' },
        'json',
        { type: 'json_schema' },
        { type: 'json_schema', json_schema: { name: 'x' } },
        { type: 'text', schema: {} },
        { type: 'text', json_schema: { name: 'x' } },
      ],
    },
    tools: {
      good: [[], [tool], null],
      bad: [[{ type: 'other' }], [{ type: 'function', function: { name: 'a b' } }], [tool, tool], 'look'],
    },
    tool_choice: {
      good: ['auto', 'none', { type: 'auto' }, { type: 'none' }, null],
      bad: ['sometimes', 'required', { type: 'function', function: { name: 'look' } }],
    },
    parallel_tool_calls: { good: [true, false, null], bad: [1] },
    user: { good: ['me', null], bad: [5] },
    priority: { good: [0, -5, 5, 2 ** 31 - 1, null], bad: [0.5, '1', 2 ** 31] },
    service_tier: { good: ['auto', 'default', 'flex', 'scale', 'priority', 'fast', null], bad: ['gold', 1] },
    stream_options: { good: [null], bad: [{}, { include_usage: true }, true] },
  }
  for (const [field, { good, bad }] of Object.entries(ranges)) {
    test(`${field} must be within its range`, () => {
      for (const value of good) accept({ [field]: value })
      for (const value of bad) {
        const body = Object.fromEntries(Object.entries({ ...base, [field]: value }).filter(([, entry]) => entry !== undefined))
        assert.throws(
          () => parse(body),
          (error: unknown) => {
            assert.ok(error instanceof ServiceError)
            assert.equal(error.code, 'invalid_request_error', `${field}: ${JSON.stringify(value)}`)
            return error.param?.startsWith(field) ?? false
          },
          `${field}: ${JSON.stringify(value)}`,
        )
      }
    })
  }

  test('the setting widens the range of penalties', () => {
    const wide = createChatRequestParser({ penalties: widePenalties })
    assert.equal(wide({ ...base, frequency_penalty: -2, presence_penalty: 2 }).request.sampling.frequencyPenalty, -2)
    refuse({ presence_penalty: 2.01 }, 'presence_penalty', 'invalid_request_error', wide)
  })

  test('top_logprobs needs logprobs', () => {
    assert.equal(accept({ logprobs: true }).request.topLogprobs, 0)
    assert.equal(accept({ logprobs: true, top_logprobs: 20 }).request.topLogprobs, 20)
    refuse({ logprobs: true, top_logprobs: 21 }, 'top_logprobs')
    refuse({ top_logprobs: 1 }, 'top_logprobs')
  })

  test('a tier is read as a priority and returned in the answer', () => {
    const read = (fields: object) => {
      const { request, tier } = accept(fields)
      return [request.priority, tier]
    }
    assert.deepEqual(read({}), [undefined, undefined])
    assert.deepEqual(read({ priority: 3 }), [3, undefined])
    assert.deepEqual(read({ service_tier: 'flex' }), [10, 'flex'])
    assert.deepEqual(read({ service_tier: 'fast' }), [-10, 'priority'])
    assert.deepEqual(read({ service_tier: 'scale', priority: 3 }), [3, 'default'])
    refuse({ service_tier: 'flex', priority: 3 }, 'priority')
  })

  test('fields of other servers are accepted if they change nothing, and otherwise rejected by name', () => {
    const { request } = accept({
      n_predict: 7,
      repeat_penalty: 1.2,
      cache_prompt: false,
      id_slot: -1,
      skip_special_tokens: true,
      best_of: 1,
    })
    assert.deepEqual([request.maxTokens, request.sampling.repetitionPenalty], [7, 1.2])
    assert.equal(accept({ n_predict: -1 }).request.maxTokens, 2 ** 31 - 1)
    for (const [fields, param] of [
      [{ n_predict: 0 }, 'n_predict'],
      [{ n_predict: -2 }, 'n_predict'],
      [{ n_predict: 7, max_tokens: 8 }, 'n_predict'],
      [{ repeat_penalty: 1.2, repetition_penalty: 1.3 }, 'repeat_penalty'],
      [{ timings_per_token: true }, 'timings_per_token'],
      [{ mirostat: 2 }, 'mirostat'],
      [{ best_of: 2 }, 'best_of'],
      [{ reasoning_format: 'none' }, 'reasoning_format'],
      [{ json_schema: {}, guided_json: {} }, 'json_schema'],
    ] as const)
      refuse(fields, param)
    const schema = { type: 'object' }
    assert.deepEqual(accept({ json_schema: schema }).request.responseFormat, { type: 'json_schema', schema, field: 'json_schema' })
    accept({ response_format: { type: 'json_schema', json_schema: { schema } } })
  })

  test('a schema in place of an object with it is refused with what to write', () => {
    const schema = { type: 'object', properties: {} }
    for (const json_schema of [schema, { $ref: '#/$defs/a' }, { name: 'x', properties: {} }])
      assert.throws(() => parse({ ...base, response_format: { type: 'json_schema', json_schema } }), {
        message: '`response_format.json_schema` must be an object with the JSON schema in its `schema`.',
      })
    refuse(
      { response_format: { type: 'json_schema', json_schema: { schema, title: 'x' } } },
      'response_format.json_schema.title',
      'unsupported_parameter',
    )
  })

  test('names of users and tools are kept, and streamed tool calls can be sent back', () => {
    const { input } = accept({
      messages: [
        { ...user([{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }]), name: 'Bo' },
        { role: 'assistant', content: null, tool_calls: [{ ...call, index: 0 }] },
        { role: 'tool', content: 'found', tool_call_id: 'a', name: 'look' },
      ],
    }).request
    assert.deepEqual(input.type === 'chat' && input.messages, [
      { role: 'user', content: 'Hi', name: 'Bo' },
      { role: 'assistant', content: null, toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] },
      { role: 'tool', content: 'found', toolCallId: 'a', name: 'look' },
    ])
  })

  test('the two names of the token limit must agree', () => {
    assert.equal(accept({ max_completion_tokens: 7 }).request.maxTokens, 7)
    assert.equal(accept({ max_completion_tokens: 7, max_tokens: 7 }).request.maxTokens, 7)
    refuse({ max_completion_tokens: 7, max_tokens: 8 }, 'max_completion_tokens')
  })

  test('unknown and unsupported fields are refused by name at any depth', () => {
    refuse({ samplers: ['top_k'] }, 'samplers', 'unsupported_parameter')
    refuse({ foo: 0 }, 'foo', 'unsupported_parameter')
    refuse({ messages: [{ ...user('Hi'), mood: 'Bo' }] }, 'messages[0].mood', 'unsupported_parameter')
    refuse({ stream: true, stream_options: { chunk_size: 1 } }, 'stream_options.chunk_size', 'unsupported_parameter')
    refuse(JSON.parse('{"__proto__": {"x": 1}}'), '__proto__', 'unsupported_parameter')
    refuse({ foo: 1, temperature: 3 }, 'temperature')
    refuse({ logit_bias: { '1': 1, '01': 1 } }, 'logit_bias.01')
  })

  test('all faults are reported at once', () => {
    assert.throws(
      () => parse({ messages: [user('Hi')], temperature: 3, top_p: -1 }),
      (error: unknown) => {
        assert.ok(error instanceof ServiceError)
        assert.deepEqual(error.faults.map(({ path }) => path[0]).toSorted(), ['model', 'temperature', 'top_p'])
        assert.match(error.message, /^3 fields need a change: .*`temperature` must be a number from 0 to 2; .*\.$/)
        return true
      },
    )
  })

  test('a message may have only the fields of its role', () => {
    const { input } = accept({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'One' },
            { type: 'text', text: 'two' },
          ],
        },
        user('Look it up'),
        { role: 'assistant', content: null, tool_calls: [call], function_call: null, refusal: null },
        { role: 'tool', content: 'found', tool_call_id: 'a' },
      ],
    }).request
    assert.deepEqual(input.type === 'chat' && input.messages, [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'One\ntwo' },
      { role: 'user', content: 'Look it up' },
      { role: 'assistant', content: null, toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] },
      { role: 'tool', content: 'found', toolCallId: 'a' },
    ])
    const seen = accept({ messages: [user([{ type: 'text', text: 'What is it?' }, picture])] }).request.input
    assert.deepEqual(seen.type === 'chat' && seen.messages, [
      {
        role: 'user',
        content: 'What is it?',
        parts: [
          { type: 'text', text: 'What is it?' },
          { type: 'picture', mediaType: 'image/png', base64: 'iVBORw0KGgo=', detail: 'low' },
        ],
      },
    ])
    const { url } = picture.image_url
    for (const image_url of [url, { url, detail: 'original' }, { url: url.replace(',', ', ') }]) {
      const { input } = accept({ messages: [user([{ type: 'image_url', image_url, prompt_cache_breakpoint: {} }])] }).request
      assert.equal(Object(input).messages[0].parts[0].base64, 'iVBORw0KGgo=')
    }
    refuse({ messages: [user([{ type: 'image_url', image_url: 'x' }])] }, 'messages[0].content[0].image_url')
    refuse({ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role')
    refuse({ messages: [user(null)] }, 'messages[0].content')
    for (const url of [
      'x',
      'https://example.org/cat.png',
      'file:///etc/passwd',
      'data:text/html;base64,AAAA',
      'data:image/png;base64,',
      'data:image/png;base64,?',
    ])
      refuse({ messages: [user([{ type: 'image_url', image_url: { url } }])] }, 'messages[0].content[0].image_url.url')
    refuse({ messages: [user([{ type: 'text' }])] }, 'messages[0].content[0].text')
    refuse({ messages: [user([{ type: 'image_url' }])] }, 'messages[0].content[0].image_url')
    refuse({ messages: [user([{ type: 'input_audio' }])] }, 'messages[0].content[0].type')
    refuse({ messages: [{ role: 'system', content: [picture] }] }, 'messages[0].content[0].type')
    refuse({ messages: [user(Array.from({ length: 33 }, () => picture))] }, 'messages[0].content')
    refuse({ messages: [{ ...user('x'), tool_calls: [call] }] }, 'messages[0].tool_calls')
    refuse({ messages: [{ ...user('x'), tool_call_id: 'a' }] }, 'messages[0].tool_call_id')
    refuse({ messages: ['Hello'] }, 'messages[0]')
  })

  test('the arguments of a tool call may nest as deep as a body', () => {
    const calling = (levels: number) => {
      const nested = { ...call, function: { name: 'look', arguments: '['.repeat(levels) + ']'.repeat(levels) } }
      return { messages: [user('Hi'), { role: 'assistant', content: null, tool_calls: [nested] }] }
    }
    accept(calling(100))
    refuse(calling(101), 'messages[1].tool_calls[0].function.arguments')
  })

  test('an empty list of tool calls in an assistant message counts as none', () => {
    const { input } = accept({ messages: [user('Hi'), { role: 'assistant', content: 'Hello', tool_calls: [] }, user('And?')] }).request
    assert.deepEqual(input.type === 'chat' && input.messages[1], { role: 'assistant', content: 'Hello' })
    refuse({ messages: [{ ...user('Hi'), tool_calls: [] }] }, 'messages[0].tool_calls')
  })

  test('a null counts as a missing field everywhere, except inside a schema', () => {
    const schema = { enum: ['a', null], default: null }
    const { request, delivery } = accept({
      stream: true,
      stream_options: { include_usage: null },
      tools: [{ type: 'function', function: { name: 'look', description: null, parameters: schema, strict: null } }],
      response_format: { type: 'json_schema', json_schema: { name: 'x', description: null, schema, strict: null }, schema: null },
    })
    assert.equal(delivery.includeUsage, false)
    assert.deepEqual(request.responseFormat, { type: 'json_schema', schema, name: 'x' })
    assert.deepEqual(request.input.type === 'chat' && request.input.tools[0]?.parameters, schema)
  })

  test('tools and tool_choice are read', () => {
    const { input } = accept({
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
    }).request
    assert.deepEqual(input.type === 'chat' && [input.tools, input.toolChoice, input.parallelToolCalls], [
      [{ name: 'look', description: null, parameters: { type: 'object' } }],
      { name: 'look' },
      false,
    ])
    const plain = accept({ tools: [tool] }).request.input
    assert.deepEqual(accept({ tools: [{ function: tool.function }] }).request.input, plain)
    refuse({ tools: [{ function: tool.function }, tool] }, 'tools[1].function.name')
    refuse({ functions: [tool.function, tool.function] }, 'functions[1].name')
    assert.equal(plain.type === 'chat' && plain.toolChoice, 'auto')
    refuse({ tools: [tool], tool_choice: { type: 'function', function: { name: 'other' } } }, 'tool_choice')
  })

  test('a schema may be in OpenAI’s field or directly in response_format', () => {
    const schema = { type: 'object' }
    const read = (response_format: object) => accept({ response_format }).request.responseFormat
    const requested = { name: 'x', schema, strict: true, description: 'd' }
    assert.deepEqual(read({ type: 'json_schema', json_schema: requested }), { type: 'json_schema', ...requested })
    assert.deepEqual(read({ type: 'json_schema', json_schema: { schema } }), { type: 'json_schema', schema })
    for (const type of ['json_object', 'json_schema']) assert.deepEqual(read({ type, schema }), { type: 'json_schema', schema })
    refuse({ response_format: { type: 'text', schema } }, 'response_format.schema')
    refuse({ response_format: { type: 'json_schema', json_schema: {}, schema } }, 'response_format.json_schema')
  })

  test('only the low 32 bits of a seed are used', () => {
    assert.equal(accept({ seed: -1 }).request.sampling.seed, 2 ** 32 - 1)
    assert.equal(accept({ seed: 2 ** 32 + 7 }).request.sampling.seed, 7)
  })
})
