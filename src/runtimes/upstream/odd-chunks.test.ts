import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { streamedParts } from '../../../test/support/engines/streamed-parts.ts'
import { assertRejected } from '../../../test/support/wire/assert-refused.ts'
import { collectText } from '../../operations/collect-text.ts'
import { ChunkDecoder } from './chunk-decoder.ts'

const read = (events: readonly unknown[]) => streamedParts(new ChunkDecoder(1), events)
const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] })
const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }

suite('unusual chunks of servers with OpenAI’s API', () => {
  test('fields in unusual positions and forms are read', async () => {
    for (const [what, events] of Object.entries({
      'a list of chunks': [[delta({ content: 'well ' }), delta({ content: 'done' })], end, usage],
      'null between chunks': [null, delta({ content: 'well done' }), null, end, usage],
      'single values and an empty list between chunks': [1, delta({ content: 'well done' }), '""', true, [], end, usage],
      'text after the reason': [delta({ content: 'well ' }, { finish_reason: 'stop' }), delta({ content: 'done' }), usage],
      'text after the reason, before a second one': [delta({ content: 'well ' }), end, delta({ content: 'done' }), end, usage],
      'a choice that is null': [{ choices: [null] }, delta({ content: 'well done' }), end, usage],
      'a delta that is a text': [{ choices: [{ index: 0, delta: 'well done' }] }, end, usage],
      'a content that is an object': [delta({ content: { type: 'text', text: 'well done' } }), end, usage],
      'an index that is a text': [{ choices: [{ index: '0', delta: { content: 'well done' } }] }, end, usage],
      'no reason as false': [delta({ content: 'well done' }, { finish_reason: false }), end, usage],
      'a reason that is a number': [delta({ content: 'well done' }, { finish_reason: 1 }), usage],
      'counts before the answer': [usage, delta({ content: 'well done' }), end, usage],
      'a heartbeat between chunks': [{ object: 'heartbeat' }, delta({ content: 'well done' }), {}, end, usage],
      'an error of one choice behind the end': [
        delta({ content: 'well done' }),
        end,
        { choices: [{ index: 0, error: { message: 'too late' } }] },
      ],
      'no choices as null': [{ choices: null }, delta({ content: 'well done' }), { choices: null }, end, usage],
      'an empty reason': [delta({ content: 'well done' }, { finish_reason: '' }), delta({}, { finish_reason: '' }), usage],
      'an error behind the end': [delta({ content: 'well done' }), end, usage, { error: { message: 'too late' } }],
    })) {
      const { choices } = await collectText(read([...events, '[DONE]']))
      assert.deepEqual([choices[0]?.text, choices[0]?.reason], ['well done', 'stop'], what)
    }
  })

  test('the choices of an answer end at [DONE], whichever of them has ended before', async () => {
    const said = (index: number, more: object = {}) => ({ choices: [{ index, delta: { content: 'ab'[index] }, ...more }] })
    const several = (events: readonly unknown[], choices = 2) =>
      streamedParts(new ChunkDecoder(choices), [...events, '[DONE]'], { choices })
    for (const events of [
      [said(0), said(1), end],
      [said(0, { finish_reason: 'stop' }), said(1)],
      [said(0), said(1, { finish_reason: 'stop' })],
      [{ choices: [...said(0).choices, ...said(1).choices] }, usage],
    ]) {
      const { choices } = await collectText(several(events))
      assert.deepEqual(
        choices.map(({ text, reason }) => [text, reason]),
        [
          ['a', 'stop'],
          ['b', 'stop'],
        ],
      )
    }
    const error = { code: 'unsupported_parameter', param: 'n' } as const
    await assertRejected(Array.fromAsync(several([said(0)])), error)
    await assertRejected(Array.fromAsync(several([said(0), said(1), end], 3)), error)
    await assertRejected(Array.fromAsync(several([said(1)])), { code: 'inference_failed' })
  })

  test('a call after the reason is one of the answer', async () => {
    const call = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{"at":1}' } }] })
    const { choices } = await collectText(read([delta({ content: 'Let me' }), end, call, usage, '[DONE]']))
    assert.deepEqual(
      [choices[0]?.text, choices[0]?.reason, choices[0]?.toolCalls],
      ['Let me', 'tool_calls', [{ id: 'a', name: 'look', arguments: '{"at":1}' }]],
    )
  })

  test('reasoning under the name of GitHub Copilot is read', async () => {
    const { choices } = await collectText(read([delta({ reasoning_text: 'hm' }), delta({ content: 'a' }), end, usage, '[DONE]']))
    assert.deepEqual([choices[0]?.thoughts, choices[0]?.text], ['hm', 'a'])
  })

  test('cached tokens are read under every name', async () => {
    for (const more of [
      { prompt_tokens_details: { cached_tokens: 5 } },
      { input_tokens_details: { cached_tokens: 5 } },
      { cached_tokens: 5 },
      { prompt_cache_hit_tokens: 5, prompt_cache_miss_tokens: 2 },
    ]) {
      const last = { choices: [], usage: { ...usage.usage, ...more } }
      const { usage: counted } = await collectText(read([delta({ content: 'a' }), end, last, '[DONE]']))
      assert.deepEqual(counted, { promptTokens: 7, completionTokens: 3, cachedTokens: 5 }, Object.keys(more).join())
    }
  })

  test('both halves of a character arrive in one part', async () => {
    const event = (message: string) => `{"choices":[{"index":0,"delta":${message}}]}`
    const call = (fragment: string) => event(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"${fragment}"}}]}`)
    const events = [
      ...[event(String.raw`{"reasoning_content":"\ud83d"}`), event(String.raw`{"reasoning_content":"\ude00"}`)],
      ...[event(String.raw`{"content":"a\ud83d"}`), event(String.raw`{"content":"\ude00b"}`)],
      ...[event(String.raw`{"content":"\ude00 alone \ud83d"}`), call(String.raw`{\"a\":\"\ud83d`), call(String.raw`\ude00\"}`)],
    ]
    const parts = await Array.fromAsync(read([...events, end, usage, '[DONE]']))
    const pieces = parts.flatMap((part) => ('text' in part ? [part.text] : 'fragment' in part ? [part.fragment] : []))
    assert.deepEqual(pieces, ['😀', 'a', '😀b', '\ufffd alone ', '\ufffd', '{"a":"', '😀"}'])
  })

  test('counts within a choice are read', async () => {
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: usage.usage }] }
    const { usage: counted } = await collectText(read([delta({ content: 'a' }), last, '[DONE]']))
    assert.deepEqual(counted, { promptTokens: 7, completionTokens: 3, cachedTokens: 0 })
  })

  test('counts before the answer do not make a broken one complete', async () => {
    const parts = Array.fromAsync(read([usage, delta({ content: 'a' })]))
    await assertRejected(parts, { code: 'inference_failed' })
  })

  test('an error is recognized in every form', async () => {
    for (const [event, code] of [
      [{ message: 'Slow down.', code: 429 }, 'server_is_overloaded'],
      [{ message: 'Slow down.', type: 'rate_limit_error' }, 'server_is_overloaded'],
      [{ type: 'error', message: 'It broke.' }, 'inference_failed'],
      [{ status: 400, code: '400', message: 'No such field.', choices: null }, 'invalid_request_error'],
      [{ choices: [{ index: 0, delta: { content: '' }, error: { code: 429, message: 'Slow down.' } }] }, 'server_is_overloaded'],
      [[{ error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } }], 'server_is_overloaded'],
    ] as const)
      for (const before of [[], [delta({ content: 'a' })]])
        await assertRejected(Array.fromAsync(read([...before, event, '[DONE]'])), { code })
  })

  test('[DONE] ends a stream in every spelling', async () => {
    for (const done of ['[done]', '"[DONE]"']) {
      const parts = await Array.fromAsync(read([delta({ content: 'a' }), end, done]))
      assert.equal(parts.at(-1)?.type, 'finish')
    }
  })

  test('an error in the format of older vLLM is recognized', async () => {
    const tooLong = { object: 'error', message: "This model's maximum context length is 100 tokens.", code: 40303 }
    await assertRejected(Array.fromAsync(read([tooLong])), { code: 'context_length_exceeded' })
  })
})
