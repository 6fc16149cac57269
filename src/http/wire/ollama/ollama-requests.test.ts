import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertRefused, type ExpectedRefusal } from '../../../../test/support/wire/assert-refused.ts'
import { parseOllamaChat } from './chat-request.ts'
import { parseOllamaGenerate } from './generate-request.ts'

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const user = { role: 'user', content: 'Hello' }
const chat = (fields: object = {}) => parseOllamaChat({ model: 'm', messages: [user], ...fields })
const generate = (fields: object = {}) => parseOllamaGenerate({ model: 'm', prompt: 'Hello', ...fields })
const conversation = (fields: object) => {
  const input = chat(fields).request?.input
  assert.ok(input?.type === 'chat')
  return input
}
const look = { type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }

suite('chats in Ollama’s format', () => {
  test('defaults are filled in, and answers are streamed', () => {
    const { request, stream, unloads } = chat()
    assert.ok(request)
    const { sampling, ...rest } = request
    assert.deepEqual(rest, {
      model: 'm',
      input: {
        type: 'chat',
        messages: [user],
        tools: [],
        toolChoice: 'none',
        parallelToolCalls: true,
        dropsOldest: true,
      },
      maxTokens: 2 ** 31 - 1,
      maxTokensIsDefault: true,
      stop: [],
      choices: 1,
      topLogprobs: null,
      responseFormat: { type: 'text' },
    })
    assert.deepEqual([sampling.temperature, sampling.topP, sampling.topK, sampling.minP, sampling.repetitionPenalty], [0.8, 0.9, 40, 0, 1])
    assert.deepEqual([stream, unloads], [true, false])
  })

  test('sampling options reach the sampler, and memory options are accepted', () => {
    const options = { temperature: 0, top_p: 0.5, top_k: -1, min_p: 0.1, seed: 7, stop: ['a', ''], repeat_penalty: 1.1 }
    const { request } = chat({ options: { ...options, num_predict: 5, num_gpu: 99, num_thread: 4, use_mmap: true, repeat_last_n: 64 } })
    const { temperature, topP, topK, minP, seed, repetitionPenalty } = request?.sampling ?? {}
    assert.deepEqual([temperature, topP, topK, minP, seed, repetitionPenalty], [0, 0.5, 0, 0.1, 7, 1.1])
    assert.deepEqual([request?.maxTokens, request?.maxTokensIsDefault, request?.stop], [5, undefined, ['a']])
    assert.equal(chat({ options: { num_ctx: 4096 } }).contextLength, 4096)
    assert.equal(chat({ options: { num_predict: -2 } }).request?.maxTokensIsDefault, true)
  })

  test('fields outside options count unless options has the same one', () => {
    const beside = { temperature: 0, top_p: 0.5, max_output_tokens: 7 }
    const { sampling, maxTokens } = chat(beside).request ?? {}
    assert.deepEqual([sampling?.temperature, sampling?.topP, maxTokens], [0, 0.5, 7])
    assert.equal(chat({ ...beside, options: { temperature: 1 } }).request?.sampling.temperature, 1)
    assert.equal(conversation({ tools: [look], tool_choice: 'required' }).toolChoice, 'required')
  })

  for (const [think, expected] of [
    [undefined, {}],
    [false, { effort: 'none', effortIsWish: true }],
    [true, { thinks: true }],
    ['low', { effort: 'low' }],
    ['max', { effort: 'max' }],
  ] as const)
    test(`think: ${think} sets ${JSON.stringify(expected)}`, () => {
      const { effort, effortIsWish, thinks } = conversation({ think })
      assert.deepEqual(JSON.parse(JSON.stringify({ effort, effortIsWish, thinks })), expected)
    })

  for (const [format, expected] of [
    [undefined, { type: 'text' }],
    ['', { type: 'text' }],
    ['json', { type: 'json_object' }],
    [{ type: 'object' }, { type: 'json_schema', schema: { type: 'object' }, field: 'format' }],
  ] as const)
    test(`format: ${JSON.stringify(format)} requests ${expected.type}`, () => {
      assert.deepEqual(chat({ format }).request?.responseFormat, expected)
    })

  test('tool calls get ids by position, and results are matched by name or by order', () => {
    const calls = [{ function: { name: 'look', arguments: { at: 1 } } }, { function: { name: 'hear', arguments: '{}' } }]
    const { messages, tools, toolChoice } = conversation({
      tools: [look],
      messages: [
        user,
        { role: 'assistant', thinking: 'so', tool_calls: calls },
        { role: 'tool', tool_name: 'hear', content: 'birds' },
        { role: 'tool', content: 'blue' },
      ],
    })
    assert.deepEqual(messages.slice(1), [
      {
        role: 'assistant',
        content: null,
        toolCalls: [
          { id: 'call_1_0', name: 'look', arguments: '{"at":1}' },
          { id: 'call_1_1', name: 'hear', arguments: '{}' },
        ],
        thoughts: 'so',
      },
      { role: 'tool', content: 'birds', toolCallId: 'call_1_1' },
      { role: 'tool', content: 'blue', toolCallId: 'call_1_0' },
    ])
    assert.deepEqual([tools[0]?.name, toolChoice], ['look', 'auto'])
  })

  test('pictures are recognised by their first bytes, with or without a data URI prefix', () => {
    for (const image of [picture, `data:image/png;base64,${picture}`]) {
      const [message] = conversation({ messages: [{ ...user, images: [image] }] }).messages
      assert.deepEqual(Object(message).parts, [
        { type: 'picture', mediaType: 'image/png', base64: picture },
        { type: 'text', text: 'Hello' },
      ])
    }
  })

  test('an assistant message at the end is continued', () => {
    assert.equal(conversation({ messages: [user, { role: 'assistant', content: 'The' }] }).opening, 'last-message')
  })

  for (const [keep, unloads] of [
    [0, true],
    ['0', true],
    ['0s', true],
    [-1, false],
    ['0m0s', true],
    [`${'0'.repeat(60)}5s`, false],
    ['5m', false],
    ['1h30m', false],
    [300, false],
  ] as const)
    test(`keep_alive: ${JSON.stringify(keep)} ${unloads ? 'unloads' : 'does not unload'} the model in a request without messages`, () => {
      assert.deepEqual([chat({ messages: [], keep_alive: keep }).request, chat({ keep_alive: keep }).unloads], [null, unloads])
    })

  for (const [name, fields, expected] of [
    ['Mirostat', { options: { mirostat: 1 } }, { code: 'unsupported_parameter', param: 'options.mirostat' }],
    ['typical sampling', { options: { typical_p: 0.5 } }, { code: 'unsupported_parameter', param: 'options.typical_p' }],
    ['an unknown option', { options: { warp: 1 } }, { code: 'unsupported_parameter', param: 'options.warp' }],
    ['an unknown field', { adapter: 'x' }, { code: 'unsupported_parameter', param: 'adapter' }],
    ['an invalid duration', { keep_alive: 'soon' }, { param: 'keep_alive' }],
    ['alternatives without log probabilities', { top_logprobs: 2 }, { param: 'top_logprobs' }],
    ['an invalid picture', { messages: [{ ...user, images: ['aGVsbG8='] }] }, { param: 'messages[0].images[0]' }],
    ['calls by the user', { messages: [{ ...user, tool_calls: [{ function: { name: 'x' } }] }] }, { param: 'messages[0].tool_calls' }],
    ['a tool twice', { tools: [look, look] }, { param: 'tools[1].function.name' }],
  ] as readonly (readonly [string, object, ExpectedRefusal])[])
    test(`${name} is refused by name`, () => assertRefused(() => chat(fields), expected))
})

suite('prompts in Ollama’s format', () => {
  test('a prompt becomes a user message after the system prompt', () => {
    const { input } = generate({ system: 'Be brief.', images: [picture] }).request ?? {}
    assert.ok(input?.type === 'chat')
    assert.deepEqual(input.messages, [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: 'Hello',
        parts: [
          { type: 'picture', mediaType: 'image/png', base64: picture },
          { type: 'text', text: 'Hello' },
        ],
      },
    ])
  })

  test('a raw prompt reaches the model unchanged, and a suffix makes an infill request', () => {
    assert.deepEqual(generate({ raw: true }).request?.input, { type: 'prompt', prompt: 'Hello', special: true, echo: false })
    assert.deepEqual(generate({ suffix: ' world' }).request?.input, {
      type: 'prompt',
      prompt: 'Hello',
      echo: false,
      gap: { suffix: ' world', files: [] },
    })
  })

  test('an empty prompt generates nothing', () => {
    assert.deepEqual([generate({ prompt: '' }).request, generate({ prompt: '', context: [] }).request], [null, null])
  })

  for (const [name, fields, param] of [
    ['a system prompt beside a raw one', { raw: true, system: 'x' }, 'system'],
    ['pictures beside a suffix', { suffix: 'x', images: [picture] }, 'images'],
    ['a template', { template: '{{ .Prompt }}' }, 'template'],
    ['a context', { context: [1, 2] }, 'context'],
  ] as const)
    test(`${name} is refused by name`, () => assertRefused(() => generate(fields), { param }))
})
