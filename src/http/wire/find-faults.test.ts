import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { findFaults } from '../../core/schema/find-faults.ts'
import { chatRequestSchema } from './chat/chat-request.ts'
import { completionRequestSchema } from './chat/completion-request.ts'
import { embeddingRequestSchema } from './chat/embedding-request.ts'
import { publishedBodies } from './chat/sampling-fields.ts'
import { imageRequestSchema } from './images/image-fields.ts'
import { nativeCompletionSchema } from './llama-cpp/completion-request.ts'

const bodies = {
  chat: [chatRequestSchema(publishedBodies), { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }],
  completion: [completionRequestSchema(publishedBodies), { model: 'm', prompt: 'Hi' }],
  embedding: [embeddingRequestSchema, { model: 'm', input: 'Hi' }],
  image: [imageRequestSchema, { prompt: 'a tiger' }],
  native: [nativeCompletionSchema(publishedBodies), { prompt: 'Hi' }],
} as const satisfies Record<string, readonly [TSchema & { readonly properties: object }, object]>

const values: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    17,
    201,
    2 ** 60,
    '',
    'x',
    'auto',
    'png',
    'x'.repeat(1001),
    '😀'.repeat(10_000),
    '😀'.repeat(10_001),
  ],
  ...[[], [''], ['x'], [1], [-1], [null], [{}], Array(17).fill('x'), Array(200).fill({ type: 'function', function: { name: 'a' } })],
  ...[
    [[5, 1]],
    [['a', false]],
    [[-1, 1]],
    [[5, 101]],
    [
      [5, 1],
      [1.5, 1],
    ],
    [[5]],
    [[5, 1, 1]],
    [[]],
  ],
  ...[{}, { x: 1 }, { '5': 1 }, { '05': 1 }, { '5': 101 }, { type: 'text' }, { type: 'xml' }, { include_usage: 1 }],
  ...[[{ role: 'user', content: ['Hi'] }], [{ role: 'user', content: [{ type: 'text', text: 1 }] }], [{ role: 'user', content: [], x: 1 }]],
]

suite('the faults of a value', () => {
  for (const [name, [schema, base]] of Object.entries(bodies))
    test(`are found exactly when the compiled schema of a ${name} body rejects it`, () => {
      const validator = Compile(schema)
      const document: object = schema
      for (const field of [...Object.keys(schema.properties), 'unknown_field'])
        for (const value of values) {
          const body = { ...base, [field]: value }
          assert.equal(findFaults(document, body).length === 0, validator.Check(body), `${field}: ${JSON.stringify(value)?.slice(0, 200)}`)
        }
    })

  test('have the path of their entry in a pair', () => {
    const [schema, base]: readonly [object, object] = bodies.native
    const said = (logit_bias: unknown) => findFaults(schema, { ...base, logit_bias }).map(({ path, message }) => [path.join('.'), message])
    const token = 'must be an integer from 0 to 2147483647, or a string of 1 to 1000 characters.'
    assert.deepEqual(said([[-1, 1]]), [['logit_bias.0.0', `\`logit_bias[0][0]\` ${token}`]])
    const bias = 'must be a number from -100 to 100, or false.'
    assert.deepEqual(
      said([
        [5, 1],
        [5, 101],
      ]),
      [['logit_bias.1.1', `\`logit_bias[1][1]\` ${bias}`]],
    )
    const pair =
      'must be a list of 2 entries (an integer from 0 to 2147483647, or a string of 1 to 1000 characters; then a number from -100 to 100, or false).'
    assert.deepEqual(said([[5]]), [['logit_bias.0', `\`logit_bias[0]\` ${pair}`]])
  })

  test('are collected only up to a limit', () => {
    let read = 0
    const getOwnPropertyDescriptor = () => {
      read += 1
      return undefined
    }
    const entry = new Proxy({}, { getOwnPropertyDescriptor })
    const schema = Type.Object({ list: Type.Array(Type.Object({ a: Type.String() }, { additionalProperties: false })) })
    assert.equal(findFaults(schema, { list: Array(10_000).fill(entry) }).length, 64)
    assert.ok(read <= 128, `${read} fields were looked up`)
  })

  test('come from the closest branch of a union', () => {
    const item = Type.Object({ type: Type.Literal('text'), text: Type.String() })
    const schema = Type.Object({ content: Type.Union([Type.String(), Type.Array(item)]) })
    assert.deepEqual(
      findFaults(schema, { content: [{ type: 'text' }] }).map(({ path }) => path),
      [['content', 0, 'text']],
    )
    assert.deepEqual(
      findFaults(schema, { content: 5 }).map(({ message }) => message),
      ['`content` must be a string, or a list, each an object.'],
    )
  })

  test('suggest the most likely field for an unknown one', () => {
    const document: object = chatRequestSchema(publishedBodies)
    const messages = (body: object) => findFaults(document, body).map(({ message }) => message)
    const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
    assert.deepEqual(messages({ ...chat, max_token: 5 }), ['`max_token` is not a known field: remove it, or write `max_tokens`.'])
    assert.deepEqual(messages({ ...chat, colour: 5 }), ['`colour` is not a known field: remove it.'])
    assert.deepEqual(messages({ ...chat, max_tokens: 5, max_token: 5 }), ['`max_token` is not a known field: remove it.'])
    assert.deepEqual(messages({ ...chat, stream: true, stream_options: { include_usages: true } }), [
      '`stream_options.include_usages` is not a known field: remove it, or write `stream_options.include_usage`.',
    ])
  })
})
