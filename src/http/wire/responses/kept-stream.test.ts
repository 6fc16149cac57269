import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { readEvents } from '../../../../test/support/read-events.ts'
import { assertRefused } from '../../../../test/support/wire/assert-refused.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import { encodeKeptStream, readStreamQuery } from './kept-stream.ts'

interface EventData {
  readonly type: string
  readonly sequence_number: number
  readonly delta?: string
  readonly item?: JsonObject
  readonly response?: JsonObject
}

async function eventsOf(states: readonly JsonObject[], after = -1) {
  const written = await Array.fromAsync(encodeKeptStream(Readable.from(states), { after }))
  return readEvents<EventData>(new Response(written.join('')))
}

const message = { type: 'message', id: 'msg_1', status: 'completed', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }
const thought = { type: 'reasoning', id: 'rs_1', content: [{ type: 'reasoning_text', text: 'Hm.' }] }
const call = { type: 'function_call', id: 'fc_1', name: 'look_up', arguments: '{"q":1}' }
const custom = { type: 'custom_tool_call', id: 'ctc_1', name: 'run', input: 'ls' }
const finished = { id: 'resp_1', status: 'completed', output: [thought, message], usage: { total_tokens: 3 } }

suite('a stored response as events', () => {
  test('begins as it began, sends each item whole, and ends with the response', async () => {
    const events = await eventsOf([finished])
    const part = ['content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done']
    assert.deepEqual(
      events.map(({ name }) => name.replace(/^response\./, '')),
      [
        'created',
        'in_progress',
        'output_item.added',
        ...part.map((name) => name.replace('output_text', 'reasoning_text')),
        'output_item.done',
        'output_item.added',
        ...part,
        'output_item.done',
        'completed',
      ],
    )
    assert.deepEqual(
      events.map(({ data }) => data.sequence_number),
      [...events.keys()],
    )
    for (const { name, data } of events) assert.equal(data.type, name)
    const { response } = events[0]?.data ?? {}
    assert.deepEqual([response?.status, response?.output, response?.usage], ['in_progress', [], null])
    assert.deepEqual(events[2]?.data.item, { ...thought, status: 'in_progress', content: [] })
    assert.deepEqual(events.at(-1)?.data.response, finished)
  })

  test('sends the arguments of a call and the input of a tool in one piece', async () => {
    const events = await eventsOf([{ ...finished, output: [call, custom] }])
    const deltas = events.filter(({ data }) => data.delta !== undefined).map(({ name, data }) => [name, data.delta])
    assert.deepEqual(deltas, [
      ['response.function_call_arguments.delta', '{"q":1}'],
      ['response.custom_tool_call_input.delta', 'ls'],
    ])
    const begun = events.filter(({ name }) => name === 'response.output_item.added').map(({ data }) => data.item)
    assert.deepEqual(
      begun.map((item) => [item?.arguments, item?.input]),
      [
        ['', undefined],
        [undefined, ''],
      ],
    )
  })

  test('continues after the last event of the client, and always sends the end', async () => {
    const all = await eventsOf([finished])
    for (const after of [0, 4, all.length - 2]) assert.deepEqual(await eventsOf([finished], after), all.slice(after + 1))
    const late = await eventsOf([finished], 500)
    assert.deepEqual(
      late.map(({ name, data }) => [name, data.sequence_number]),
      [['response.completed', 501]],
    )
  })

  test('waits for the end of one that still runs, and ends a failed or cancelled one as failed', async () => {
    const queued = { ...finished, status: 'queued', output: [] }
    const events = await eventsOf([queued, finished])
    assert.deepEqual(events, await eventsOf([finished]))
    for (const [status, name] of [
      ['incomplete', 'response.incomplete'],
      ['failed', 'response.failed'],
      ['cancelled', 'response.failed'],
    ])
      assert.equal((await eventsOf([queued, { ...finished, status: String(status) }])).at(-1)?.name, name)
    assert.deepEqual(await eventsOf([]), [])
  })

  test('is requested by the query', () => {
    assert.equal(readStreamQuery({}), null)
    assert.equal(readStreamQuery({ stream: 'false', include_obfuscation: 'true' }), null)
    assert.deepEqual(readStreamQuery({ stream: 'true' }), { after: -1 })
    assert.deepEqual(readStreamQuery({ stream: 'true', starting_after: '7' }), { after: 7 })
    for (const [query, param] of [
      [{ stream: 'yes' }, 'stream'],
      [{ stream: 'true', include_obfuscation: '1' }, 'include_obfuscation'],
      [{ stream: 'true', starting_after: '-1' }, 'starting_after'],
      [{ stream: 'true', starting_after: '1e3' }, 'starting_after'],
      [{ starting_after: '1' }, 'starting_after'],
    ] as const)
      assertRefused(() => readStreamQuery(query), { param })
  })
})
