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
      'a choice that is null': [{ choices: [null] }, delta({ content: 'well done' }), end, usage],
      'a delta that is a text': [{ choices: [{ index: 0, delta: 'well done' }] }, end, usage],
      'a content that is an object': [delta({ content: { type: 'text', text: 'well done' } }), end, usage],
      'an index that is a text': [{ choices: [{ index: '0', delta: { content: 'well done' } }] }, end, usage],
      'no reason as false': [delta({ content: 'well done' }, { finish_reason: false }), end, usage],
      'a reason that is a number': [delta({ content: 'well done' }, { finish_reason: 1 }), usage],
      'an error behind the end': [delta({ content: 'well done' }), end, usage, { error: { message: 'too late' } }],
    })) {
      const { choices } = await collectText(read([...events, '[DONE]']))
      assert.deepEqual([choices[0]?.text, choices[0]?.reason], ['well done', 'stop'], what)
    }
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
