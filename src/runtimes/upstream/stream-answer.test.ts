import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { assertRejected } from '../../../test/support/wire/assert-refused.ts'
import type { TextPart } from '../../core/text-generation.ts'
import { MessageDecoder } from './anthropic/message-decoder.ts'
import { ChunkDecoder } from './chunk-decoder.ts'
import type { StreamDecoder } from './data-lines.ts'
import { streamAnswer } from './stream-answer.ts'
import { makeBrokenError, makeLateError } from './upstream-error.ts'

const data = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const text = (content: string) => ({ choices: [{ index: 0, delta: { content } }] })
const finish = (word: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: word }] })
const block = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } }
const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }

/** The parts of a stream whose pieces are sent by a generator that may throw. */
function answer(decoder: StreamDecoder, pieces: () => AsyncGenerator<string>, close = (): void => {}): Promise<TextPart[]> {
  const connection = {
    send: async (_path: string, _body: unknown, { onOpen }: { readonly onOpen?: (close: () => void) => void }) => {
      onOpen?.(close)
      return pieces()
    },
  }
  const { signal } = new AbortController()
  return Array.fromAsync(streamAnswer(connection, { path: '/', body: {}, decoder }, makeTextRequest('hello'), { signal }))
}

suite('a complete answer', () => {
  const kinds = [
    ['OpenAI', () => new ChunkDecoder(1), data(text('hi'), finish('stop'))],
    ['Anthropic', () => new MessageDecoder(), data(block, stop)],
  ] as const
  for (const [name, decoder, said] of kinds) {
    test(`stays complete if its server breaks off afterwards, in the middle of an event or with other data (${name})`, async () => {
      for (const rest of ['', 'data: {"choices":[],"usa', 'data: <html>\n\n', 'data: {"choices":5}\n\n'])
        for (const error of [makeBrokenError('broke off its answer'), makeLateError('idle', 1000), null]) {
          const parts = await answer(decoder(), async function* () {
            yield said
            yield rest
            if (error !== null) throw error
          })
          assert.deepEqual(
            parts.flatMap((part) => (part.type === 'prompt' ? [] : [part.type])),
            ['text', 'choice-finish', 'finish'],
            `${rest} ${error}`,
          )
        }
    })

    test(`ends five seconds later if its server never ends the stream (${name})`, async (context) => {
      context.mock.timers.enable({ apis: ['setTimeout'] })
      const [closed, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const pieces = async function* () {
        yield said
        yield ': keep-alive\n\n'
        waiting.resolve()
        await closed.promise
        throw makeBrokenError('broke off its answer')
      }
      const parts = answer(decoder(), pieces, () => closed.resolve())
      await waiting.promise
      context.mock.timers.tick(5000)
      assert.equal((await parts).at(-1)?.type, 'finish')
    })
  }

  test('is not one that its server ends as failed, or breaks off before its end', async () => {
    const break_ = makeBrokenError('broke off its answer')
    for (const said of [data(text('hi'), finish('error')), data(text('hi'))])
      await assertRejected(
        answer(new ChunkDecoder(1), async function* () {
          yield said
          throw break_
        }),
        { code: 'inference_failed' },
      )
  })
})
