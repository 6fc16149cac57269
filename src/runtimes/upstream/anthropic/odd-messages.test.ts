import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { streamedParts } from '../../../../test/support/engines/streamed-parts.ts'
import { assertRejected } from '../../../../test/support/wire/assert-refused.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { MessageDecoder } from './message-decoder.ts'

const read = (events: readonly unknown[]) => streamedParts(new MessageDecoder(), events)
const start = { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } }
const block = (index: unknown, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: unknown, fields: object) => ({ type: 'content_block_delta', index, delta: fields })
const input = (index: unknown, partial_json: unknown) => delta(index, { type: 'input_json_delta', partial_json })
const stop = (index: unknown) => ({ type: 'content_block_stop', index })
const call = (name: string, more: object = {}) => ({ type: 'tool_use', id: name, name, ...more })
const text = delta(0, { type: 'text_delta', text: 'well done' })
const ends = (stop_reason: string, usage: object = { output_tokens: 3 }) => ({ type: 'message_delta', delta: { stop_reason }, usage })
const over = { type: 'message_stop' }

async function callsOf(events: readonly unknown[]): Promise<readonly (readonly [string, string])[]> {
  const { choices } = await collectText(read([start, ...events, ends('tool_use'), over]))
  return choices[0]?.toolCalls.map(({ name, arguments: written }) => [name, written] as const) ?? []
}

suite('unusual streams of servers with Anthropic’s API', () => {
  test('text and calls after the reason are of the answer', async () => {
    const [begin, rest] = ['well ', 'done'].map((piece) => delta(0, { type: 'text_delta', text: piece }))
    for (const last of [[over], ['[DONE]'], []]) {
      const said = await collectText(read([start, block(0, { type: 'text' }), begin, ends('end_turn'), rest, stop(0), ...last]))
      assert.deepEqual([said.choices[0]?.text, said.choices[0]?.reason], ['well done', 'stop'])
      const called = [block(1, call('a')), input(1, '{"n":1}'), stop(1)]
      const { choices } = await collectText(read([start, text, ends('end_turn'), ...called, ...last]))
      assert.deepEqual([choices[0]?.reason, choices[0]?.toolCalls.map(({ name }) => name)], ['tool_calls', ['a']])
    }
  })

  test('arguments are read in every position and form', async () => {
    const [a, b] = [{ n: 1 }, { n: 2 }]
    for (const [what, events] of Object.entries({
      'in the beginning of a block': [block(0, call('a', { input: a })), stop(0), block(1, call('b', { input: b })), stop(1)],
      'there and in pieces': [
        block(0, call('a', { input: a })),
        input(0, '{"n":'),
        input(0, '1}'),
        block(1, call('b', { input: b })),
        stop(1),
      ],
      'as a text in the beginning': [
        block(0, call('a', { input: '{"n":1}' })),
        stop(0),
        block(1, call('b', { input: '{"n":2}' })),
        stop(1),
      ],
      'as an object in a piece': [block(0, call('a')), input(0, a), block(1, call('b')), input(1, b)],
      'in blocks that nothing ends': [block(0, call('a', { input: a })), block(1, call('b', { input: b }))],
      'without an index': [
        block(undefined, call('a')),
        input(undefined, '{"n":1}'),
        stop(undefined),
        block(undefined, call('b')),
        input(undefined, '{"n":2}'),
      ],
      'with an index that is a text': [block('0', call('a')), block('1', call('b')), input('0', '{"n":1}'), input('1', '{"n":2}')],
      'without a type': [
        block(0, call('a')),
        delta(0, { partial_json: '{"n":1}' }),
        block(1, call('b')),
        delta(1, { partial_json: '{"n":2}' }),
      ],
    }))
      assert.deepEqual(
        (await callsOf(events)).map(([name, written]) => [name, JSON.parse(written)]),
        [
          ['a', a],
          ['b', b],
        ],
        what,
      )
  })

  test('calls that share an index are separate calls', async () => {
    const one = (name: string) => [block(0, call(name)), input(0, `{"of":"${name}"}`), stop(0)]
    assert.deepEqual(
      await callsOf(['a', 'b', 'c', 'd'].flatMap(one)),
      ['a', 'b', 'c', 'd'].map((name) => [name, `{"of":"${name}"}`]),
    )
  })

  test('a call without arguments gets an empty object, even without an end event, unless it was truncated', async () => {
    assert.deepEqual(await callsOf([block(0, call('a')), block(1, call('b', { input: {} })), stop(1)]), [
      ['a', '{}'],
      ['b', '{}'],
    ])
    const { choices } = await collectText(read([start, block(0, call('a')), ends('max_tokens'), over]))
    assert.deepEqual(choices[0]?.toolCalls, [{ id: 'a', name: 'a', arguments: '' }])
  })

  test('an answer is complete however the stream ends', async () => {
    for (const [what, events] of Object.entries({
      'nothing behind the reason': [text, ends('end_turn')],
      'the mark of the other interface': [text, ends('end_turn'), '[DONE]'],
      'an error behind the reason': [text, ends('end_turn'), { type: 'error', error: { type: 'api_error' } }, over],
      'no beginning of its block': [text, over],
      'pieces without a type': [delta(0, { text: 'well done' }), ends('end_turn'), over],
    })) {
      const { choices, usage } = await collectText(read([start, ...events]))
      assert.deepEqual([choices[0]?.text, choices[0]?.reason], ['well done', 'stop'], what)
      assert.equal(usage.promptTokens, 5, what)
    }
    for (const events of [[], [text], [text, '[DONE]']])
      await assertRejected(Array.fromAsync(read([start, ...events])), { code: 'inference_failed' })
  })
})
