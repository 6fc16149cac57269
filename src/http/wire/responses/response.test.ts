import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { makeTextRequest } from '../../../../test/support/text-request.ts'
import { partsOf, readParts } from '../../../../test/support/wire/text-parts.ts'
import { ServiceError } from '../../../core/error.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import type { TextPart, TokenLogprob } from '../../../core/text-generation.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { encodeChatCompletion, readStoredChat } from '../chat/chat-completion.ts'
import { encodeFinished, encodeResponse, responseSchema, startResponse } from './response.ts'
import { parseResponseRequest } from './response-request.ts'
import { encodeResponseStream } from './response-stream.ts'

const head = startResponse({ now: () => 12_345_678, steadyNow: () => 0, wait: () => new Promise(() => {}) })
const inner = { type: 'function', name: 'enter' }
const tools = [
  { type: 'function', name: 'look' },
  { type: 'namespace', name: 'room', tools: [inner] },
]
const body = parseResponseRequest({ model: 'm', input: 'a', tools, metadata: { k: 'v' }, instructions: 'You' })
const packing = parseResponseRequest({ model: 'm', input: 'a', include: ['reasoning.encrypted_content'] })
const usage = { promptTokens: 10, completionTokens: 4, cachedTokens: 3, thoughtTokens: 1 }
const finish = { type: 'finish', usage } as const
const end = { type: 'choice-finish', choice: 0, reason: 'stop' } as const
const logprob: TokenLogprob = { token: 'a', logprob: -1, bytes: [97], top: [{ token: 'b', logprob: -2, bytes: [98] }] }
const say = (text: string, more: object = {}): TextPart => ({ type: 'text', choice: 0, text, ...more })
const think = (text: string): TextPart => ({ type: 'thoughts', choice: 0, text })
const call = (index: number, name: string): TextPart => ({ type: 'tool-call', choice: 0, index, id: `${index}`, name })
const fill = (index: number, fragment: string): TextPart => ({ type: 'tool-arguments', choice: 0, index, fragment })
const whole: readonly TextPart[] = [
  { type: 'prompt', usage },
  think('so'),
  say('Let', { logprobs: [logprob] }),
  say(' me'),
  call(0, 'look'),
  fill(0, '{"a":'),
  fill(0, '1}'),
  call(1, 'room__enter'),
  { ...end, reason: 'tool_calls' },
  finish,
]

async function stream(parts: readonly TextPart[], { requested = body, failure }: { requested?: typeof body; failure?: Error } = {}) {
  const kept: JsonObject[] = []
  const keep = async (response: JsonObject) => {
    kept.push(response)
    return response
  }
  return { ...(await readParts(encodeResponseStream(head, requested, partsOf(parts, failure), keep))), kept }
}
const answer = async (parts: readonly TextPart[], requested = body) => encodeFinished(head, requested, await collectText(partsOf(parts)))
/** Removes ids, which are random. */
const plain = (response: unknown): unknown =>
  JSON.parse(JSON.stringify(response), (key, value) => (key === 'id' && /^(rs|msg|fc)_/.test(value) ? value.replace(/_.*/, '') : value))

suite('answers of the Responses interface', () => {
  test('a completed response has its items, its usage and the requested settings', async () => {
    const response = await answer(whole)
    assert.deepEqual(Compile(responseSchema).Errors(response), [])
    assert.deepEqual(
      plain(response.output),
      plain([
        { id: 'rs_', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'so' }], status: 'completed' },
        {
          id: 'msg_',
          type: 'message',
          role: 'assistant',
          content: [
            {
              type: 'output_text',
              text: 'Let me',
              annotations: [],
              logprobs: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2, bytes: [98] }] }],
            },
          ],
          status: 'completed',
        },
        { id: 'fc_', type: 'function_call', call_id: 'call_0', name: 'look', arguments: '{"a":1}', status: 'completed' },
        { id: 'fc_', type: 'function_call', call_id: 'call_1', name: 'enter', namespace: 'room', arguments: '', status: 'completed' },
      ]),
    )
    assert.deepEqual(response.usage, {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 3, cache_write_tokens: 0 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 14,
    })
    const { status, created_at, instructions, metadata, store, service_tier, incomplete_details } = response
    assert.deepEqual([status, created_at, instructions, metadata, store], ['completed', 12_345, 'You', { k: 'v' }, true])
    assert.deepEqual([service_tier, incomplete_details, response.tools], ['default', null, tools])
  })

  for (const [name, parts] of [
    ['reasons, writes text and calls a tool', whole],
    ['only writes text', [say('a'), end, finish]],
    ['writes nothing', [end, finish]],
    ['only reasons', [think('so'), end, finish]],
    ['is cut off in its reasoning', [think('so'), { ...end, reason: 'length' }, finish]],
    ['is cut off in its text', [say('a'), { ...end, reason: 'length' }, finish]],
    ['is cut off in a tool call', [call(0, 'look'), fill(0, '{"'), { ...end, reason: 'length' }, finish]],
  ] as readonly (readonly [string, readonly TextPart[]])[])
    test(`if a model ${name}, the last event is the complete response, which was stored before`, async () => {
      const { events, kept, failed } = await stream(parts)
      const last = events.at(-1)
      const expected = plain(await answer(parts))
      assert.deepEqual(plain(last?.data.response), expected)
      assert.deepEqual(plain(kept), [expected])
      assert.deepEqual([last?.name, failed], [`response.${Object(expected).status}`, false])
    })

  test('events are numbered, and their items equal those of the last event', async () => {
    const { events } = await stream(whole)
    assert.deepEqual(
      events.map(({ data }) => data.sequence_number),
      events.map((_, at) => at),
    )
    for (const { name, data } of events) assert.equal(data.type, name)
    const texts = new Map<number, string>()
    for (const { name, data } of events) {
      if (name?.endsWith('.delta')) texts.set(data.output_index, (texts.get(data.output_index) ?? '') + data.delta)
      if (/(text|arguments)\.done$/.test(name ?? '')) assert.equal(data.text ?? data.arguments, texts.get(data.output_index) ?? '')
    }
    assert.deepEqual(
      [...texts],
      [
        [0, 'so'],
        [1, 'Let me'],
        [2, '{"a":1}'],
      ],
    )
    const added = events.filter(({ name }) => name === 'response.output_item.added').map(({ data }) => data.item)
    const done = events.filter(({ name }) => name === 'response.output_item.done').map(({ data }) => data.item)
    assert.deepEqual(
      added.map(({ id, status }) => [id, status]),
      done.map(({ id }) => [id, 'in_progress']),
    )
    assert.deepEqual(done, events.at(-1)?.data.response.output)
    const parts = events
      .filter(({ name }) => name?.startsWith('response.content_part'))
      .map(({ name, data }) => [name?.slice(22), data.output_index])
    assert.deepEqual(parts, [
      ['added', 0],
      ['done', 0],
      ['added', 1],
      ['done', 1],
    ])
  })

  test('if the limit ends an answer, only the last item is incomplete', async () => {
    const { output, status, incomplete_details } = await answer([
      say('a'),
      call(0, 'look'),
      call(1, 'look'),
      { ...end, reason: 'length' },
      finish,
    ])
    assert.deepEqual(
      (output as unknown as { status: string }[]).map((item) => item.status),
      ['completed', 'completed', 'incomplete'],
    )
    assert.deepEqual([status, incomplete_details], ['incomplete', { reason: 'max_output_tokens' }])
  })

  test('a failed response has the items so far, is not stored, and hides the cause', async () => {
    const { events, kept, failed } = await stream([say('a'), call(0, 'look')], { failure: new Error('a secret') })
    assert.ok(failed)
    assert.deepEqual([events.at(-1)?.name, kept], ['response.failed', []])
    const { status, error, output } = events.at(-1)?.data.response ?? {}
    assert.deepEqual([status, error.code, output.length], ['failed', 'internal_error', 1])
    assert.ok(!JSON.stringify(events).includes('secret'))
  })

  test('a response that cannot be stored fails and is never reported as completed', async () => {
    const keep = async () => {
      throw new ServiceError('quota_exceeded', 'There is no room left.')
    }
    const { events, failed } = await readParts(encodeResponseStream(head, body, partsOf([say('a'), end, finish]), keep))
    assert.deepEqual([events.at(-1)?.name, events.at(-1)?.data.response.error.code, failed], ['response.failed', 'quota_exceeded', true])
    assert.ok(events.every(({ name }) => name !== 'response.completed'))
  })

  test('reasoning is encrypted on request, only in the finished item', async () => {
    const [item] = (await answer([think('so'), end, finish], packing)).output as unknown as { encrypted_content: string }[]
    assert.equal(typeof item?.encrypted_content, 'string')
    const { events } = await stream([think('so'), end, finish], { requested: packing })
    const [added] = events.filter(({ name }) => name === 'response.output_item.added')
    assert.equal(added?.data.item.encrypted_content, undefined)
    assert.equal(events.at(-1)?.data.response.output[0].encrypted_content, item?.encrypted_content)
    const [plainItem] = (await answer([think('so'), end, finish])).output as unknown as object[]
    assert.ok(!('encrypted_content' in (plainItem ?? {})))
  })

  test('a background response has its status', () => {
    assert.deepEqual(
      [encodeResponse(head, body, { status: 'queued' }).output, encodeResponse(head, body, { status: 'queued' }).usage],
      [[], null],
    )
    const error = { code: 'inference_failed', message: 'The model stopped.', param: null } as const
    assert.deepEqual(encodeResponse(head, body, { status: 'failed', error }).error, {
      code: 'inference_failed',
      message: 'The model stopped.',
    })
    assert.throws(() => encodeFinished(head, body, { choices: [], usage }), TypeError)
  })

  test('a stored chat completion is read back as the result of the model', async () => {
    const result = await collectText(partsOf(whole))
    const stored = encodeChatCompletion(
      { id: `cmpl-${'0'.repeat(32)}`, created: 1, model: 'm' },
      makeTextRequest('a', { topLogprobs: 1 }),
      result,
    )
    const read = readStoredChat(JSON.stringify(stored))
    assert.deepEqual(plain(encodeFinished(head, body, read)), plain(encodeFinished(head, body, result)))
  })

  test('a call of a custom tool is an item with a text input, complete and streamed', async () => {
    const requested = parseResponseRequest({ model: 'm', input: 'a', tools: [{ type: 'custom', name: 'patch' }] })
    const parts = [call(0, 'patch'), fill(0, '{"input":"a\\n'), fill(0, 'b"}'), { ...end, reason: 'tool_calls' as const }, finish]
    const expected = { id: 'ctc', type: 'custom_tool_call', call_id: 'call_0', name: 'patch', input: 'a\nb', status: 'completed' }
    const items = (response: JsonObject | undefined) =>
      Object(JSON.parse(JSON.stringify(response), (key, value) => (key === 'id' ? String(value).replace(/_.*/, '') : value))).output
    assert.deepEqual(items(await answer(parts, requested)), [expected])
    const { events, kept } = await stream(parts, { requested })
    assert.deepEqual(items(kept[0]), [expected])
    assert.deepEqual(
      events.map(({ name }) => name).filter((name) => name?.includes('custom_tool_call')),
      ['response.custom_tool_call_input.delta', 'response.custom_tool_call_input.done'],
    )
  })
})
