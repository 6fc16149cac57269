import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ask, miniChat, textOf } from '../../../test/support/mini-chat.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { TextPart, TextRequest } from '../../core/text-generation.ts'
import { loadLlamaModel } from './load-llama-model.ts'

const { signal } = new AbortController()
type PromptInput = Extract<TextRequest['input'], { type: 'prompt' }>

suite('log probabilities of an echoed prompt', () => {
  let model: TextModel & AsyncDisposable
  before(async () => {
    model = await loadLlamaModel(miniChat, { threads: 1, slots: 2, signal })
  })
  after(() => model[Symbol.asyncDispose]())

  const run = (input: Partial<PromptInput>, changes: Parameters<typeof ask>[1] = {}): Promise<TextPart[]> => {
    const request = ask('', { topLogprobs: 3, ...changes, input: { type: 'prompt', prompt: '', echo: true, ...input } })
    return Array.fromAsync(model.generate(request, { signal, account: 'a' }))
  }
  const scored = (parts: readonly TextPart[], choice = 0) =>
    parts.flatMap((part) => (part.type === 'text' && part.choice === choice ? (part.logprobs ?? []) : []))
  const read = async (text: string) => {
    const input = { type: 'text', text, framed: false, special: false } as const
    return (await model.tokenize?.({ model: miniChat.id, input, spelled: false }, { signal, account: 'a' }))?.tokens ?? []
  }
  /** Other texts in a batch change the sums of quantized numbers slightly. */
  const assertClose = (actual: readonly number[], expected: readonly number[]) => {
    assert.equal(actual.length, expected.length)
    for (const [index, value] of expected.entries())
      assert.ok(Math.abs(value - (actual[index] ?? Number.NaN)) < 0.05 + 0.03 * Math.abs(value), `${index}: ${actual[index]} ${value}`)
  }

  test('equal those of the model when it generated the tokens', async () => {
    const prompt = 'The capital of France is'
    const written = await run({ prompt, echo: false }, { maxTokens: 30 })
    const whole = [...(await read(prompt)), ...(await read(textOf(written)))]
    const echoed = await run({ tokens: whole }, { maxTokens: 0 })
    assert.equal(textOf(echoed), prompt + textOf(written))
    const own = scored(written).map(({ logprob }) => logprob)
    assertClose(
      scored(echoed)
        .slice(-own.length)
        .map(({ logprob }) => logprob),
      own,
    )
    const [last] = scored(echoed).slice(-1)
    assert.equal(last?.top.length, 3)
    assert.ok((last?.top[0]?.logprob ?? -1) >= (last?.logprob ?? 0))
  })

  test('cover every token except the first, which has none', async () => {
    const tokens = await read('The capital of France is Paris.')
    const [opening] = (await run({ tokens }, { maxTokens: 0 })).filter((part) => part.type === 'text')
    assert.ok(opening?.type === 'text')
    assert.equal(opening.logprobs?.length, tokens.length - 1)
    assert.equal([opening.unscored, ...(opening.logprobs ?? [])].map((entry) => entry?.token).join(''), 'The capital of France is Paris.')
    const single = (await run({ tokens: tokens.slice(0, 1) }, { maxTokens: 0 })).filter((part) => part.type === 'text')
    assert.deepEqual(
      single.map((part) => part.type === 'text' && [part.logprobs, part.unscored?.token]),
      [[[], 'The']],
    )
  })

  test('end at once with max_tokens 0, and only the prompt is counted', async () => {
    const parts = await run({ prompt: 'Once upon a time' }, { maxTokens: 0, choices: 2 })
    const finish = parts.at(-1)
    assert.ok(finish?.type === 'finish')
    assert.equal(finish.usage.completionTokens, 0)
    assert.deepEqual(
      parts.flatMap((part) => (part.type === 'choice-finish' ? [part.reason] : [])),
      ['length', 'length'],
    )
    assert.deepEqual([textOf(parts, 0), textOf(parts, 1)], ['Once upon a time', 'Once upon a time'])
    assert.deepEqual(scored(parts, 0), scored(parts, 1))
  })

  test('are the same for a long prompt, whether or not part of it is cached and others are served', async () => {
    const prompt = 'The quick brown fox jumps over the lazy dog. '.repeat(18)
    const cold = scored(await run({ prompt }, { maxTokens: 1 }))
    const [warm, other] = await Promise.all([
      run({ prompt }, { maxTokens: 1 }),
      run({ prompt: 'Hello there', echo: false }, { maxTokens: 20 }),
    ])
    assert.equal(cold.length, (await read(prompt)).length)
    assertClose(
      scored(warm).map(({ logprob }) => logprob),
      cold.map(({ logprob }) => logprob),
    )
    assert.ok(textOf(other).length > 0)
    assert.ok(textOf(warm).startsWith(prompt))
  })

  test('reject tokens that the model does not have, and more tokens than the context', async () => {
    await assert.rejects(run({ tokens: [1, 999_999] }), { code: 'invalid_request_error', param: 'prompt' })
    const tokens = Array.from({ length: 5000 }, () => 5)
    await assert.rejects(run({ tokens }), { code: 'context_length_exceeded', param: 'prompt' })
  })

  test('do not disturb other requests when the client leaves', async () => {
    const leaving = new AbortController()
    const request = ask('', { topLogprobs: 3, input: { type: 'prompt', prompt: 'The quick brown fox. '.repeat(60), echo: true } })
    const left = assert.rejects(Array.fromAsync(model.generate(request, { signal: leaving.signal, account: 'a' })))
    const kept = run({ prompt: 'The capital of France is' }, { maxTokens: 3 })
    leaving.abort()
    await left
    assert.ok(textOf(await kept).startsWith('The capital of France is'))
  })
})
