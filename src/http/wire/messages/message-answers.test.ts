import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { asSent } from '../../../../test/support/wire/as-sent.ts'
import { partsOf, readParts } from '../../../../test/support/wire/text-parts.ts'
import { errorCodes, ServiceError } from '../../../core/error.ts'
import type { TextPart } from '../../../core/text-generation.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { encodeMessage, signThoughts, startMessage } from './message.ts'
import { messageAnswerSchema, messageErrorSchema } from './message-answers.ts'
import { toMessageError } from './message-error.ts'
import { encodeMessageStream } from './message-stream.ts'

const head = startMessage('m')
const usage = { promptTokens: 10, completionTokens: 4, cachedTokens: 3 }
const finish = { type: 'finish', usage } as const
const end = { type: 'choice-finish', choice: 0, reason: 'stop' } as const
const say = (text: string): TextPart => ({ type: 'text', choice: 0, text })
const think = (text: string): TextPart => ({ type: 'thoughts', choice: 0, text })
const call = (index: number, id: string): TextPart => ({ type: 'tool-call', choice: 0, index, id, name: 'look' })
const fill = (index: number, fragment: string): TextPart => ({ type: 'tool-arguments', choice: 0, index, fragment })
const whole: readonly TextPart[] = [
  { type: 'prompt', usage: { promptTokens: 10, cachedTokens: 3 } },
  think('so'),
  think(' …'),
  say('Let'),
  say(' me'),
  call(0, 'a'),
  fill(0, '{"at":'),
  fill(0, '1}'),
  call(1, 'b'),
  { ...end, reason: 'tool_calls' },
  finish,
]
const stream = (parts: readonly TextPart[], thoughts = true, failure?: Error) =>
  readParts(encodeMessageStream(head, partsOf(parts, failure), { thoughts }))
const answer = async (parts: readonly TextPart[], thoughts = true) => encodeMessage(head, await collectText(partsOf(parts)), { thoughts })

/** Assembles a stream as Anthropic's client does. */
function assemble(events: Awaited<ReturnType<typeof stream>>['events']): unknown {
  const message = structuredClone(events.find(({ name }) => name === 'message_start')?.data.message)
  const inputs = new Map<number, string>()
  for (const { name, data } of events) {
    if (name === 'content_block_start') message.content[data.index] = structuredClone(data.content_block)
    const block = message.content[data.index]
    const delta = data.delta ?? {}
    if (delta.type === 'text_delta') block.text += delta.text
    if (delta.type === 'thinking_delta') block.thinking += delta.thinking
    if (delta.type === 'signature_delta') block.signature += delta.signature
    if (delta.type === 'input_json_delta') inputs.set(data.index, (inputs.get(data.index) ?? '') + delta.partial_json)
    if (name === 'content_block_stop' && block.type === 'tool_use') block.input = JSON.parse(inputs.get(data.index) ?? '{}')
    if (name === 'message_delta') Object.assign(message, delta, { usage: data.usage })
  }
  return message
}

suite('answers in Anthropic’s format', () => {
  test('a complete answer has reasoning, text and tool calls in blocks that match the schema', async () => {
    const message = await answer(whole)
    assert.deepEqual(Compile(messageAnswerSchema).Errors(message), [])
    assert.deepEqual(message.content, [
      { type: 'thinking', thinking: 'so …', signature: signThoughts('so …') },
      { type: 'text', text: 'Let me' },
      { type: 'tool_use', id: 'toolu_a', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 'toolu_b', name: 'look', input: {} },
    ])
    assert.deepEqual(message.usage, { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 4 })
    assert.deepEqual([message.stop_reason, message.stop_sequence, message.id, message.model], ['tool_use', null, head.id, 'm'])
  })

  for (const thoughts of [true, false])
    test(`the events of a stream add up to the complete answer, ${thoughts ? 'with' : 'without'} reasoning`, async () => {
      const { events, failed } = await stream(whole, thoughts)
      assert.deepEqual(assemble(events), await answer(whole, thoughts))
      assert.equal(failed, false)
      assert.equal(events.at(-1)?.name, 'message_stop')
      for (const { name, data } of events) assert.equal(data.type, name)
    })

  test('blocks start and stop one after the other, each with its index', async () => {
    const { events } = await stream(whole)
    const edges = events.flatMap(({ name, data }) =>
      /_(start|stop)$/.test(name ?? '') && data.index !== undefined ? [`${name?.slice(14)} ${data.index}`] : [],
    )
    assert.deepEqual(
      edges,
      [0, 1, 2, 3].flatMap((at) => [`start ${at}`, `stop ${at}`]),
    )
  })

  for (const [name, finished, reason, sequence] of [
    ['ends by itself', end, 'end_turn', null],
    ['is cut off', { ...end, reason: 'length' }, 'max_tokens', null],
    ['meets a stop sequence', { ...end, stop: '###' }, 'stop_sequence', '###'],
  ] as const)
    test(`an answer that ${name} has the stop reason ${reason}, complete and streamed`, async () => {
      const parts = [say('a'), finished, finish]
      const { stop_reason, stop_sequence } = await answer(parts)
      assert.deepEqual([stop_reason, stop_sequence], [reason, sequence])
      const { events } = await stream(parts)
      assert.deepEqual(events.find(({ name }) => name === 'message_delta')?.data.delta, { stop_reason: reason, stop_sequence: sequence })
    })

  test('a tool call that the limit cut off is left out, and finished ones stay', async () => {
    const { content } = await answer([call(0, 'a'), fill(0, '{"x":1}'), call(1, 'b'), fill(1, '{"x'), { ...end, reason: 'length' }, finish])
    assert.deepEqual(content, [{ type: 'tool_use', id: 'toolu_a', name: 'look', input: { x: 1 } }])
    const strange = await answer([call(0, 'a'), fill(0, '[1]'), { ...end, reason: 'tool_calls' }, finish])
    assert.deepEqual(strange.content, [{ type: 'tool_use', id: 'toolu_a', name: 'look', input: {} }])
  })

  test('an empty answer has no blocks, and one without choices throws', async () => {
    assert.deepEqual((await answer([end, finish])).content, [])
    const { events } = await stream([say(''), end, finish])
    assert.deepEqual(
      events.map(({ name }) => name),
      ['message_start', 'ping', 'message_delta', 'message_stop'],
    )
    assert.throws(() => encodeMessage(head, { choices: [], usage }, { thoughts: true }), TypeError)
  })

  test('a failure in a stream is an error event without message_stop', async () => {
    const { events, failed } = await stream([say('a')], true, new ServiceError('server_is_overloaded', 'Too much; wait.'))
    assert.ok(failed)
    const last = events.at(-1)
    assert.deepEqual(
      [last?.name, last?.data],
      ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Too much; wait.' } }],
    )
    assert.ok(events.every(({ name }) => name !== 'message_stop'))
    const unknown = await stream([], true, new Error('a secret'))
    assert.ok(!JSON.stringify(unknown.events).includes('secret'))
  })

  test('every error code has a format that Anthropic clients read', () => {
    const fits = Compile(messageErrorSchema)
    for (const code of errorCodes) assert.deepEqual(fits.Errors(toMessageError({ code, message: 'No.', param: null }, 'r')), [])
    const thread = toMessageError({ code: 'unsupported_parameter', message: 'No.', param: 'thread' })
    assert.deepEqual(thread.error.details, { error_code: 'thread_unsupported_request', unsupported: [] })
    assert.equal(toMessageError({ code: 'unsupported_parameter', message: 'No.', param: 'x' }).error.details, undefined)
    assert.ok(!('request_id' in asSent(thread)))
  })

  test('each message has a unique id', () => {
    assert.match(head.id, /^msg_[0-9a-f]{32}$/)
    assert.notEqual(startMessage('m').id, head.id)
  })
})
