import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ask, miniChat, textOf } from '../../../test/support/mini-chat.ts'
import { isRecord, type JsonObject, type JsonValue } from '../../core/json-value.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { ResponseFormat, TextPart, TextRequest, ToolChoice } from '../../core/text-generation.ts'
import { loadLlamaModel } from './load-llama-model.ts'

const signal = new AbortController().signal

const schemas: Readonly<Record<string, readonly [schema: JsonObject, valid: (value: JsonValue) => boolean]>> = {
  'a person': [
    {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        age: { type: 'integer', minimum: 0, maximum: 120 },
        tags: { type: 'array', items: { enum: ['red', 'green'] }, minItems: 1, maxItems: 3 },
        note: { type: ['string', 'null'] },
      },
      required: ['name', 'age', 'tags', 'note'],
      additionalProperties: false,
    },
    (value) => {
      if (!isRecord(value)) return false
      const { name, age, tags, note } = value
      const tagged = Array.isArray(tags) && tags.length >= 1 && tags.length <= 3 && tags.every((tag) => tag === 'red' || tag === 'green')
      const aged = typeof age === 'number' && Number.isInteger(age) && age >= 0 && age <= 120
      return (
        typeof name === 'string' &&
        name.length > 0 &&
        aged &&
        tagged &&
        (note === null || typeof note === 'string') &&
        Object.keys(value).length === 4
      )
    },
  ],
  'a tree by reference': [
    {
      $defs: {
        node: { type: 'object', properties: { left: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }, required: ['left'] },
      },
      $ref: '#/$defs/node',
    },
    function isNode(value): boolean {
      return isRecord(value) && 'left' in value && (value.left === null || isNode(value.left ?? false))
    },
  ],
  'optional members': [
    { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'number' }, c: { const: 'x' } } },
    (value) => isRecord(value) && Object.keys(value).every((name) => ['a', 'b', 'c'].includes(name)),
  ],
  'a date and an identifier': [
    {
      type: 'object',
      properties: { day: { type: 'string', format: 'date' }, id: { type: 'string', format: 'uuid' } },
      required: ['day', 'id'],
    },
    (value) =>
      isRecord(value) &&
      !Number.isNaN(Date.parse(String(value.day))) &&
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value.id)),
  ],
  'a rating with a code and an address': [
    {
      type: 'object',
      properties: {
        rating: { type: 'number', minimum: 0, maximum: 1 },
        code: { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$' },
        mail: { type: 'string', format: 'email' },
        quoted: { type: 'string', pattern: '"' },
      },
      required: ['rating', 'code', 'mail', 'quoted'],
    },
    (value) =>
      isRecord(value) &&
      Number(value.rating) >= 0 &&
      Number(value.rating) <= 1 &&
      /^[A-Z]{2}-\d{4}$/.test(String(value.code)) &&
      /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/.test(String(value.mail)) &&
      String(value.quoted).includes('"'),
  ],
}

suite('structured output of the built-in model', () => {
  let model: TextModel & AsyncDisposable
  before(async () => {
    model = await loadLlamaModel(miniChat, { threads: 1, slots: 8, signal })
  })
  after(() => model[Symbol.asyncDispose]())

  const run = (request: TextRequest): Promise<TextPart[]> => Array.fromAsync(model.generate(request, { signal, account: 'a' }))

  for (const [name, [schema, valid]] of Object.entries(schemas))
    test(`every answer is ${name}, even at temperature 1 and when the token limit is reached`, async () => {
      const requests = Array.from({ length: 12 }, (_, seed) =>
        ask('Describe something.', {
          maxTokens: 80 + 10 * seed,
          responseFormat: { type: 'json_schema', schema },
          sampling: { temperature: 1, seed },
        }),
      )
      for (const parts of await Promise.all(requests.map(run))) assert.ok(valid(JSON.parse(textOf(parts))), textOf(parts))
    })

  test('an answer is complete in exactly the tokens it needs, for every limit', async () => {
    const schema = {
      type: 'object',
      properties: { mail: { type: 'string', pattern: '^.+@.+\\.org$' }, next: { type: 'array', minItems: 3 } },
      required: ['mail', 'next'],
    }
    for (const maxTokens of [30, 31, 32, 33, 40]) {
      const parts = await run(
        ask('Describe something.', {
          maxTokens,
          responseFormat: { type: 'json_schema', schema },
          sampling: { temperature: 1, seed: maxTokens },
        }),
      )
      const { mail, next } = JSON.parse(textOf(parts))
      assert.match(mail, /^.+@.+\.org$/)
      assert.ok(next.length >= 3)
      assert.equal(parts.findLast((part) => part.type === 'choice-finish')?.reason, 'stop')
    }
  })

  test('the finish reports the parts of a schema that were not followed', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', multipleOf: 7 } }, required: ['a'] }
    const warnings = async (responseFormat: ResponseFormat) =>
      (await run(ask('Count.', { maxTokens: 20, responseFormat }))).flatMap((part) =>
        part.type === 'choice-finish' ? (part.warnings ?? []) : [],
      )
    const loosened = await warnings({ type: 'json_schema', schema })
    assert.equal(loosened.length, 1)
    assert.match(loosened.join(), /^The JSON schema of response_format is not followed in one place: "multipleOf" at #\/properties\/a/)
    assert.deepEqual(await warnings({ type: 'json_schema', schema: { type: 'boolean' } }), [])
    await assert.rejects(warnings({ type: 'json_schema', schema, strict: true }), {
      code: 'unsupported_parameter',
      param: 'response_format',
    })
  })

  test('json_object always returns an object', async () => {
    const requests = Array.from({ length: 12 }, (_, seed) =>
      ask('Give me JSON.', { maxTokens: 30 + 5 * seed, responseFormat: { type: 'json_object' }, sampling: { temperature: 1, seed } }),
    )
    for (const parts of await Promise.all(requests.map(run))) assert.ok(isRecord(JSON.parse(textOf(parts))))
  })

  const tools = [
    {
      name: 'get_weather',
      description: 'The weather.',
      parameters: { type: 'object', properties: { unit: { enum: ['c', 'f'] } }, required: ['unit'] },
    },
    { name: 'now', description: null, parameters: { type: 'object', properties: {} } },
  ]
  const askWithTools = (toolChoice: ToolChoice): TextRequest =>
    ask('', {
      maxTokens: 120,
      input: {
        type: 'chat',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
        tools,
        toolChoice,
        parallelToolCalls: false,
      },
    })

  test('a required tool call is made and streamed', async () => {
    const parts = await run(askWithTools({ name: 'get_weather' }))
    const call = parts.find((part) => part.type === 'tool-call')
    assert.equal(call?.name, 'get_weather')
    const fragments = parts.flatMap((part) => (part.type === 'tool-arguments' ? [part.fragment] : []))
    assert.match(JSON.parse(fragments.join('')).unit, /^[cf]$/)
    assert.deepEqual(parts.at(-2), { type: 'choice-finish', choice: 0, reason: 'tool_calls' })
    assert.equal(textOf(parts), '')
  })

  test('a required call cut at once by its limit leaves no text behind', async () => {
    const parts = await run({ ...askWithTools('required'), maxTokens: 2 })
    assert.deepEqual(
      parts.map((part) => part.type),
      ['prompt', 'choice-finish', 'finish'],
    )
  })

  test('optional tools need not be called', async () => {
    assert.equal(textOf(await run(askWithTools('auto'))), 'The capital of France is Paris.')
  })

  test('tools that must not be called use no tokens', async () => {
    const finish = (await run(askWithTools('none'))).at(-1)
    assert.equal(finish?.type === 'finish' && finish.usage.promptTokens, 15)
  })

  test('a choice of an unknown tool is rejected', async () => {
    await assert.rejects(run(askWithTools({ name: 'other' })), { code: 'invalid_request_error', param: 'tool_choice' })
  })

  test('a left-recursive grammar is rejected', async () => {
    const schema = { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }
    await assert.rejects(run(ask('Hi', { responseFormat: { type: 'json_schema', schema } })), { code: 'unsupported_parameter' })
  })
})
