import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { asSent } from '../../../test/support/wire/as-sent.ts'
import { assertRefused } from '../../../test/support/wire/assert-refused.ts'
import type { ChatInput, ResponseFormat, TextRequest } from '../../core/text-generation.ts'
import { encodeTextRequest } from './encode-text-request.ts'
import { isOutOfReach, makeAnswerError, makeBrokenError, makeOutOfReachError } from './upstream-error.ts'

const plain = makeTextRequest('Hi')
const encode = (fields: Partial<TextRequest>) => asSent(encodeTextRequest({ ...plain, ...fields }, 'theirs'))
const chat = (fields: Partial<ChatInput>) => {
  assert.ok(plain.input.type === 'chat')
  return encode({ input: { ...plain.input, ...fields } })
}
const prompt = (fields: object = {}) => encode({ input: { type: 'prompt', prompt: 'The sky', echo: false, ...fields } })
const added = (fields: Partial<TextRequest>) => {
  const usual = encode({})
  return Object.fromEntries(Object.entries(encode(fields)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name])))
}
const sampling = (fields: Partial<TextRequest['sampling']>) => ({ sampling: { ...plain.sampling, ...fields } })

suite('requests to servers with OpenAI’s API', () => {
  test('a plain request contains only OpenAI’s own fields', () => {
    assert.deepEqual(encode({}), {
      model: 'theirs',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 512,
      temperature: 1,
      top_p: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      seed: 7,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  for (const [name, fields, expected] of [
    ['top_k', sampling({ topK: 5 }), { top_k: 5 }],
    ['min_p', sampling({ minP: 0.1 }), { min_p: 0.1 }],
    ['repetition_penalty', sampling({ repetitionPenalty: 1.2 }), { repetition_penalty: 1.2 }],
    [
      'logit_bias',
      sampling({
        logitBias: new Map([
          [5, -100],
          [0, 1],
        ]),
      }),
      { logit_bias: { '0': 1, '5': -100 } },
    ],
    ['stop', { stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
    ['n', { choices: 3 }, { n: 3 }],
    ['log probabilities', { topLogprobs: 0 }, { logprobs: true, top_logprobs: 0 }],
    ['json_object', { responseFormat: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    [
      'json_schema',
      { responseFormat: { type: 'json_schema', schema: { type: 'object' } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } } },
    ],
    [
      'json_schema with all its fields',
      { responseFormat: { type: 'json_schema', schema: {}, name: 'person', description: 'd', strict: false, field: 'text' } },
      { response_format: { type: 'json_schema', json_schema: { name: 'person', schema: {}, description: 'd', strict: false } } },
    ],
    [
      'endings',
      { ending: { includeStop: true, stopTokens: [2], minTokens: 4, ignoreEnd: true } },
      { include_stop_str_in_output: true, stop_token_ids: [2], min_tokens: 4, ignore_eos: true },
    ],
    ['endings without effect', { ending: { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: false } }, {}],
  ] as readonly (readonly [string, Partial<TextRequest>, object])[])
    test(`${name} is sent if it is set`, () => assert.deepEqual(added(fields), expected))

  for (const format of [
    { type: 'grammar', grammar: 'root ::= "a"', field: 'grammar' },
    { type: 'regex', pattern: 'a', field: 'guided_regex' },
    { type: 'choice', options: ['a'], field: 'guided_choice' },
  ] as readonly (ResponseFormat & { readonly field: string })[])
    test(`${format.type} is rejected by the name of the field in the request`, () => {
      assertRefused(() => encode({ responseFormat: format }), { code: 'unsupported_parameter', param: format.field })
    })

  test('prompts are sent as text or as tokens, and a gap is rejected', () => {
    const { prompt: text, echo, messages } = prompt()
    assert.deepEqual([text, echo, messages], ['The sky', false, undefined])
    assert.deepEqual(prompt({ prompt: '', tokens: [1, 2], echo: true }).prompt, [1, 2])
    assert.equal(encode({ input: { type: 'prompt', prompt: 'a', echo: false }, topLogprobs: 3 }).logprobs, 3)
    assertRefused(() => prompt({ gap: { suffix: 'x', files: [] } }), { code: 'unsupported_parameter', param: 'model' })
  })

  test('every kind of message is translated', () => {
    const { messages } = chat({
      messages: [
        { role: 'system', content: 'You', name: 'boss' },
        {
          role: 'user',
          content: 'See',
          parts: [
            { type: 'text', text: 'See' },
            { type: 'picture', mediaType: 'image/png', base64: 'AAAA', detail: 'low' },
            { type: 'picture', mediaType: 'image/jpeg', base64: 'BBBB' },
          ],
        },
        { role: 'assistant', content: null, thoughts: 'so', toolCalls: [{ id: 'a', name: 'look', arguments: '{"at": 1}' }] },
        { role: 'tool', content: 'blue', toolCallId: 'a', name: 'look' },
        { role: 'assistant', content: 'Blue.' },
      ],
    })
    assert.deepEqual(messages, [
      { role: 'system', content: 'You', name: 'boss' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,BBBB' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'so',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"at": 1}' } }],
      },
      { role: 'tool', content: 'blue', tool_call_id: 'a', name: 'look' },
      { role: 'assistant', content: 'Blue.' },
    ])
  })

  test('tools are sent with their choice, and a choice without tools is left out', () => {
    const tools = [
      { name: 'look', description: null, parameters: { type: 'object' } },
      { name: 'go', description: 'Goes.', parameters: {}, strict: true },
    ]
    const body = chat({ tools, toolChoice: { name: 'go' }, parallelToolCalls: false })
    assert.deepEqual(body.tools, [
      { type: 'function', function: { name: 'look', parameters: { type: 'object' } } },
      { type: 'function', function: { name: 'go', description: 'Goes.', parameters: {}, strict: true } },
    ])
    assert.deepEqual([body.tool_choice, body.parallel_tool_calls], [{ type: 'function', function: { name: 'go' } }, false])
    assert.equal(chat({ tools, toolChoice: 'required' }).tool_choice, 'required')
    assert.deepEqual([chat({ toolChoice: 'none' }).tool_choice, chat({}).parallel_tool_calls], [undefined, undefined])
  })

  for (const [fields, expected] of [
    [{ effort: 'low' }, { reasoning_effort: 'low' }],
    [{ effort: 'low', effortIsWish: true }, {}],
    [{ thinks: false }, { chat_template_kwargs: { enable_thinking: false, thinking: false } }],
    [{ thoughtTokens: 9 }, { thinking_budget: 9, thinking_budget_tokens: 9, thinking_token_budget: 9 }],
    [{ opening: 'last-message' }, { add_generation_prompt: false, continue_final_message: true }],
    [{ opening: 'bare' }, { add_generation_prompt: false }],
    [{ opening: 'turn' }, {}],
  ] as readonly (readonly [Partial<ChatInput>, object])[])
    test(`${JSON.stringify(fields)} adds ${Object.keys(expected).join(', ') || 'nothing'}`, () => {
      assert.deepEqual(chat(fields), { ...encode({}), ...expected })
    })
})

suite('error responses of a server', () => {
  const errorOf = (status: number, body: unknown, retryAfter?: string) =>
    makeAnswerError(status, typeof body === 'string' ? body : JSON.stringify(body), retryAfter)

  for (const [status, body, code, says] of [
    [400, { error: { message: 'No such field x.' } }, 'invalid_request_error', /No such field x/],
    [422, { message: 'Bad.' }, 'invalid_request_error', /Bad/],
    [413, '', 'invalid_request_error', /too large for the server/],
    [422, 'Failed to deserialize the JSON body: missing field `inputs`\n', 'invalid_request_error', /^Failed to .* `inputs`\.$/],
    [413, 'length limit exceeded\r\nat line 1', 'invalid_request_error', /^length limit exceeded\.$/],
    [400, '<html><body>nginx</body></html>', 'invalid_request_error', /rejected this request/],
    [400, '{"error":{"message":"cut', 'invalid_request_error', /rejected this request/],
    [400, 'null', 'invalid_request_error', /rejected/],
    [400, { error: { message: "This model's maximum context length is 8." } }, 'context_length_exceeded', /maximum context/],
    [400, { error: { code: 'context_length_exceeded' } }, 'context_length_exceeded', /does not fit/],
    [400, { error: { message: 'prompt is too long: 9 tokens' } }, 'context_length_exceeded', /too long/],
    [422, { error: 'Input validation error: `top_n` is wrong', error_type: 'validation' }, 'invalid_request_error', /`top_n` is wrong/],
    [400, { object: 'error', message: 'No n here.', code: 400 }, 'invalid_request_error', /No n here/],
    [400, { detail: 'No such model.' }, 'invalid_request_error', /No such model/],
    [422, { detail: [{ loc: ['body', 'stop', 0], msg: 'Not a text.' }] }, 'invalid_request_error', /^stop\.0: Not a text/],
    [422, { detail: [5] }, 'invalid_request_error', /rejected/],
    [400, { error: { message: 'x'.repeat(9999) } }, 'invalid_request_error', /^x{1000}…\.$/],
    [422, { error: '`inputs` must have less than 8 tokens. Given: 9' }, 'context_length_exceeded', /less than 8/],
    [422, { error: '`inputs` tokens + `max_new_tokens` must be <= 8. Given: 9' }, 'context_length_exceeded', /<= 8/],
    [
      400,
      { error: { message: 'The decoder prompt (length 9) is longer than the maximum model length of 8.' } },
      'context_length_exceeded',
      /9/,
    ],
    [400, { error: { message: 'input length and `max_tokens` exceed context limit: 9 + 9 > 8' } }, 'context_length_exceeded', /9/],
    [400, { error: { message: 'Your input exceeds the context window of this model.' } }, 'context_length_exceeded', /window/],
    [400, { error: { type: 'exceed_context_size_error' } }, 'context_length_exceeded', /does not fit/],
    [500, { error: { message: 'maximum context' } }, 'inference_failed', /failed on this request/],
    [401, { error: { message: 'Key sk-123 is wrong' } }, 'inference_failed', /failed/],
    [404, '<html>', 'inference_failed', /failed/],
    [429, '', 'server_is_overloaded', /try again in 1 s/],
    [529, '', 'server_is_overloaded', /busy/],
  ] as const)
    test(`${status} with ${JSON.stringify(body).slice(0, 100)} becomes ${code}`, () => {
      const error = errorOf(status, body)
      assert.equal(error.code, code)
      assert.match(error.message, says)
      assert.ok(!error.message.includes('sk-123'))
    })

  for (const [header, seconds] of [
    [undefined, 1],
    ['7', 7],
    ['0', 1],
    ['-5', 1],
    ['9999', 120],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 1],
  ] as const)
    test(`a Retry-After of ${header} is ${seconds} seconds`, () => assert.equal(errorOf(503, '', header).retryAfterSeconds, seconds))

  test('a Retry-After with a date is the time until then', (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 9, 21, 7, 27, 30) })
    assert.equal(errorOf(429, '', 'Wed, 21 Oct 2026 07:28:00 GMT').retryAfterSeconds, 30)
    assert.equal(errorOf(429, '', 'soon').retryAfterSeconds, 1)
  })

  test("a cause contains the status and the server's error code, truncated, and never its message", () => {
    const { cause } = errorOf(500, { error: { message: 'the prompt was: secret', code: 'x'.repeat(90) } })
    assert.match(String(cause), /answered 500 \(x{40}\)/)
    assert.ok(!String(cause).includes('secret'))
  })

  for (const [status, field] of [
    [401, 'keyFile'],
    [403, 'keyFile'],
    [404, 'model'],
    [307, 'url'],
  ] as const)
    test(`the cause of ${status} names ${field}`, () => assert.match(String(errorOf(status, '').cause), new RegExp(`\`${field}\``)))

  test('only a request that never reached the server counts as unreachable', () => {
    assert.equal(isOutOfReach(makeOutOfReachError(new Error('ECONNREFUSED'))), true)
    for (const other of [makeBrokenError('gave no answer'), errorOf(500, ''), new Error('x'), null])
      assert.equal(isOutOfReach(other), false)
  })
})
