import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { streamedParts } from '../../../test/support/engines/streamed-parts.ts'
import { assertRejected } from '../../../test/support/wire/assert-refused.ts'
import type { TextPart } from '../../core/text-generation.ts'
import { collectText } from '../../operations/collect-text.ts'
import { ChunkDecoder } from './chunk-decoder.ts'

const stream = (events: readonly unknown[]) => streamedParts(new ChunkDecoder(1), [...events, '[DONE]'], { maxTokens: 1000 })
const decode = (events: readonly unknown[]): Promise<TextPart[]> => Array.fromAsync(stream(events))
const collect = (events: readonly unknown[]) => collectText(stream(events))
const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] })
const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }

suite('tool calls of servers with OpenAI’s API', () => {
  test('calls are numbered in order of arrival, whatever numbers the server sends', async () => {
    const numbered = (index: number, name: string) => delta({ tool_calls: [{ index, id: name, function: { name, arguments: '{}' } }] })
    const { choices } = await collect([numbered(1_000_000_000, 'look'), numbered(-7, 'go'), end, usage])
    assert.deepEqual(
      choices[0]?.toolCalls.map(({ name }) => name),
      ['look', 'go'],
    )
  })

  test('interleaved pieces of calls with one number are distinguished by their ids', async () => {
    const piece = (id: string, called: object) => delta({ tool_calls: [{ index: 0, id, function: called }] })
    const events = [piece('a', { name: 'look', arguments: '' }), piece('b', { name: 'look', arguments: '' })]
    const { choices } = await collect([...events, piece('a', { arguments: '{"at":1}' }), piece('b', { arguments: '{"at":2}' }), end, usage])
    assert.deepEqual(choices[0]?.toolCalls, [
      { id: 'a', name: 'look', arguments: '{"at":1}' },
      { id: 'b', name: 'look', arguments: '{"at":2}' },
    ])
  })

  test('a call is complete even if its name comes late or stands beside its id, or the list contains null or is missing', async () => {
    const calls = (...list: readonly unknown[]) => delta({ tool_calls: list })
    for (const events of [
      [calls({ index: 0, id: 'a', function: { arguments: '{"at"' } }), calls({ index: 0, function: { name: 'look', arguments: ':1}' } })],
      [calls({ index: 0, id: 'a', name: 'look', arguments: '{"at":1}' })],
      [calls(null, { index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } })],
      [delta({ tool_calls: { index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } } })],
    ]) {
      const { choices } = await collect([...events, end, usage])
      assert.deepEqual(choices[0]?.toolCalls, [{ id: 'a', name: 'look', arguments: '{"at":1}' }])
    }
  })

  test('calls that share a number, as in Ollama, or have none are distinguished by their ids', async () => {
    for (const index of [0, null, undefined]) {
      const shared = (id: string | null, name: string | null, more = '') =>
        delta({ tool_calls: [{ index, id, function: { name, arguments: more } }] })
      const { choices } = await collect([
        shared('a', 'look', '{"at":'),
        shared(null, null, '1}'),
        shared('b', 'look', '{"at":'),
        shared('b', 'look', '2}'),
        end,
        usage,
      ])
      assert.deepEqual(choices[0]?.toolCalls, [
        { id: 'a', name: 'look', arguments: '{"at":1}' },
        { id: 'b', name: 'look', arguments: '{"at":2}' },
      ])
    }
  })

  const call = (name: string | undefined, text: unknown, more: object = {}) => ({ ...more, function: { name, arguments: text } })
  const one = (...calls: readonly object[]) => delta({ tool_calls: calls })
  for (const [name, events, expected] of [
    ['without number and id in one piece', [one(call('look', '{"a":1}'), call('look', '{"a":2}'))], ['{"a":1}', '{"a":2}']],
    [
      'without number and id in two',
      [one(call('look', '{"a":1}', { id: '' })), one(call('look', '{"a":2}', { id: '' }))],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'without number and id, interleaved',
      [one(call('look', '{"a'), call('look', '{"b')), one(call(undefined, '":1}'), call(undefined, '":2}'))],
      ['{"a":1}', '{"b":2}'],
    ],
    [
      'under one number without ids',
      [one(call('look', '{"a":1}', { index: 0 })), one(call('look', '{"a":2}', { index: 0 }))],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'under one number without a second name',
      [one(call('look', '{"a":1}', { index: 0 })), one(call(undefined, '{"a":2}', { index: 0 }))],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'with a name in every piece',
      [one(call('look', '{"a"')), one(call('look', ':"}{"')), one(call('look', '}')), one(call('look', ''))],
      ['{"a":"}{"}'],
    ],
    [
      'with numbers that are texts',
      [one(call('look', '{}', { index: '0', id: 'a' }), call('look', '{"a":2}', { index: '1', id: 'b' }))],
      ['{}', '{"a":2}'],
    ],
    [
      'with one id for all',
      [one(call('look', '{"a":1}', { index: 0, id: 'a' })), one(call('look', '{"a":2}', { index: 1, id: 'a' }))],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'with one id for all in one piece, without numbers',
      [one(call('look', '{"a":1}', { id: 'a' }), call('look', '{"a":2}', { id: 'a' }))],
      ['{"a":1}', '{"a":2}'],
    ],
    ['that are repeated whole', [one(call('look', '{"a":1}', { id: 'a' })), one(call('look', '{"a":1}', { id: 'a' }))], ['{"a":1}']],
    [
      'with arguments that are objects in pieces',
      [
        one(call('look', { a: 1 }, { index: 0 })),
        one(call(undefined, { b: 2 }, { index: 0 })),
        one(call('look', { c: 3 }, { index: 1, id: 'b' })),
        one(call(undefined, { c: 3, d: 4 }, { index: 1, id: 'b' })),
      ],
      ['{"a":1,"b":2}', '{"c":3,"d":4}'],
    ],
    [
      'with arguments that are objects',
      [one(call('look', { a: 1 }, { index: 0 }), call('look', { a: 2 }, { index: 1 }))],
      ['{"a":1}', '{"a":2}'],
    ],
    [
      'with an empty object before the arguments',
      [
        one(call('look', '{}', { index: 0, id: 'a' })),
        one(call(undefined, '{"a"', { index: 0 })),
        one(call(undefined, ':1}', { index: 0 })),
      ],
      ['{"a":1}'],
    ],
    [
      'without arguments',
      [one(call('look', null, { index: 0 })), one(call('look', '', { index: 1 })), one(call('look', undefined, { index: 2 }))],
      ['{}', '{}', '{}'],
    ],
    [
      'as the old function_call',
      [
        delta({ function_call: { name: 'look', arguments: '' } }),
        delta({ function_call: { arguments: '{"a"' } }),
        delta({ function_call: { arguments: ':1}' } }),
      ],
      ['{"a":1}'],
    ],
    [
      'with interleaved pieces',
      [
        one(call('look', '{"a', { index: 0, id: 'a' }), call('look', '{"b', { index: 1, id: 'b' })),
        one(call(undefined, '":2}', { index: 1 })),
        one(call(undefined, '":1}', { index: 0 })),
      ],
      ['{"a":1}', '{"b":2}'],
    ],
  ] as const)
    test(`calls ${name} are distinguished and emitted one after the other`, async () => {
      for (const word of ['stop', 'tool_calls', 'function_call']) {
        const parts = await decode([...events, delta({}, { finish_reason: word }), usage])
        const places = parts.flatMap((part) => (part.type === 'tool-call' || part.type === 'tool-arguments' ? [part.index] : []))
        assert.deepEqual(places, places.toSorted())
        const { choices } = await collect([...events, delta({}, { finish_reason: word }), usage])
        const [choice] = choices
        assert.deepEqual(
          choice?.toolCalls.map((made) => [made.name, made.arguments]),
          expected.map((text) => ['look', text]),
        )
        assert.equal(new Set(choice?.toolCalls.map(({ id }) => id)).size, expected.length)
        assert.equal(choice?.reason, 'tool_calls')
      }
    })

  test('calls of other names under one id are other calls', async () => {
    for (const events of [
      [one(call('look', '{"a":1}', { id: 'a' })), one(call('go', '{"a":2}', { id: 'a' }))],
      [one(call('look', '{"a":1}', { id: 'a' }), call('go', '{"a":2}', { id: 'a' }))],
      [one(call('look', { a: 1 }, { id: 'a' }), call('go', { a: 2 }, { id: 'a' }))],
    ]) {
      const { choices } = await collect([...events, end, usage])
      assert.deepEqual(
        choices[0]?.toolCalls.map((made) => [made.name, made.arguments]),
        [
          ['look', '{"a":1}'],
          ['go', '{"a":2}'],
        ],
      )
    }
  })

  test('arguments in endless objects are the server’s fault', async () => {
    const pieces = Array.from({ length: 2000 }, (_, index) => one(call(undefined, { [`field${index}`]: index }, { index: 0 })))
    await assertRejected(decode([one(call('look', {}, { index: 0 })), ...pieces, end, usage]), { code: 'inference_failed' })
  })

  test('a call cut by the limit keeps its partial text', async () => {
    const { choices } = await collect([one(call('look', '{"a": "b', { index: 0 })), delta({}, { finish_reason: 'length' }), usage])
    assert.deepEqual([choices[0]?.toolCalls[0]?.arguments, choices[0]?.reason], ['{"a": "b', 'length'])
  })
})
