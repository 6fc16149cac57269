import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { unobservedWork } from '../../../test/support/memory/unobserved.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { ServiceError } from '../../core/error.ts'
import { budgetExceeded } from '../../core/limits/budget-exceeded.ts'
import { noLimits, type UseLimits } from '../../core/limits/use-limits.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { TextRequest } from '../../core/text-generation.ts'
import { createFakeTextModel } from '../../runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../runtimes/fake/fixed-model-pool.ts'
import { createAccount } from '../access/accounts.ts'
import { startText } from '../generate-text.ts'
import { meterOf } from '../usage-meter.ts'
import { estimateInputs, estimatePrompt, wishOf } from './wish-of.ts'

const options = { signal: new AbortController().signal }

/** An account with limits, its ledger, and a model that counts words and has room for a thousand. */
async function openBooks(limits: Partial<UseLimits>) {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 10 } })
  const { id: accountId } = await createAccount({ ...store, clock }, { name: 'Ada', role: 'member' }, options)
  await store.accounts.change(accountId, { limits: { ...noLimits, ...limits }, by: null }, options)
  const model = createFakeTextModel({ clock, contextLength: 1000 })
  const submissionOf = (request: TextRequest, id: string) =>
    ({ id, accountId, tokenId: null, traceparent: null, work: { kind: 'chat', request } }) as const
  /** Starts a text, and resolves with the request as its model got it and the tokens of its prompt where they had to be counted. */
  const hold = async (request: TextRequest, { id = 'r', of = model, deferred = false } = {}) => {
    let run = request
    let promptTokens: number | null = null
    const counting: TextModel = {
      ...of,
      generate(given, use) {
        run = given
        return of.generate(given, use)
      },
    }
    const pool = createFixedModelPool({ text: { 'fake-chat': counting } })
    const submission = submissionOf(request, id)
    const meter = meterOf({ ...unobservedWork, clock }, submission)
    meter.notePrompt = (tokens) => {
      promptTokens = tokens
    }
    await using _text = await startText({ ...unobservedWork, ...store, clock, pool, runLimitMs: 1000 }, submission, {
      ...options,
      meter,
      deferred,
    })
    return { request: run, promptTokens: promptTokens ?? 0, isCounted: promptTokens !== null }
  }
  const reserved = async () => (await store.ledger.budgets({ accountId, tokenId: null }, options)).map((budget) => budget.reserved)
  return { ...store, clock, accountId, submissionOf, hold, reserved }
}

const refusal = (error: unknown): boolean => error instanceof ServiceError && error.code === 'quota_exceeded'

describe('a text under a budget of tokens', () => {
  it('runs unchanged without a budget, and its prompt is not counted', async () => {
    const { hold } = await openBooks({})
    const request = makeTextRequest('one two three')
    assert.deepEqual(await hold(request), { request, promptTokens: 0, isCounted: false })
  })

  it('sets aside its prompt and every choice to its limit', async () => {
    const { hold, reserved } = await openBooks({ tokensPerDay: 1000 })
    const { request, promptTokens } = await hold(makeTextRequest('one two three', { maxTokens: 10, choices: 3 }))
    assert.equal(request.maxTokens, 10)
    assert.deepEqual(await reserved(), [promptTokens + 30])
  })

  it('never sets aside more than the context holds', async () => {
    const { hold, reserved } = await openBooks({ tokensPerDay: 5000 })
    await hold(makeTextRequest('one two three', { maxTokens: 4000 }))
    assert.deepEqual(await reserved(), [1000])
  })

  it('is shortened to the rest if it has no limit, equally for each choice, and rejected if it has one', async () => {
    const { hold } = await openBooks({ tokensPerDay: 25 })
    const open = makeTextRequest('one two three', { maxTokens: 512, maxTokensIsDefault: true, choices: 2 })
    const { request, promptTokens } = await hold(open)
    assert.equal(request.maxTokens, Math.floor((25 - promptTokens) / 2))
    assert.ok(request.maxTokens * 2 + promptTokens <= 25)
    await assert.rejects(hold(makeTextRequest('one two three', { maxTokens: 512 }), { id: 'other' }), refusal)
  })

  it('is refused when not even a token for each choice is left', async () => {
    const { hold } = await openBooks({ tokensPerDay: 4 })
    await assert.rejects(hold(makeTextRequest('one two three', { maxTokensIsDefault: true, choices: 2 })), refusal)
  })

  it('replaces the reservation of its wait', async () => {
    const { hold, reserved, ledger, submissionOf } = await openBooks({ tokensPerDay: 1000 })
    const request = makeTextRequest('one two three', { maxTokens: 10 })
    await ledger.reserve(wishOf(unobservedWork, submissionOf(request, 'r'), { running: false }), options)
    const [waiting = 0] = await reserved()
    await hold(request, { deferred: true })
    const [running = 0] = await reserved()
    const { promptTokens } = await hold(request, { id: 'other' })
    assert.equal(running, promptTokens + 10)
    assert.ok(waiting >= running, 'an estimate is never too low')
  })

  it('is bounded by bytes where its model does not count', async () => {
    const { hold } = await openBooks({ tokensPerDay: 1000 })
    const { countPrompt: _, ...dumb } = createFakeTextModel({ clock: createTestClock() })
    const { promptTokens } = await hold(makeTextRequest('é'.repeat(10), { maxTokens: 1 }), { of: dumb })
    assert.ok(promptTokens >= 20)
  })
})

describe('pictures under a budget', () => {
  it('are granted up to the last image and then rejected, whatever the tokens', async () => {
    const { ledger, accountId } = await openBooks({ imagesPerDay: 2, tokensPerDay: 0 })
    const work = { kind: 'image', request: makeImageRequest('a fox') } as const
    const want = (id: string) =>
      ledger.reserve(wishOf(unobservedWork, { id, accountId, tokenId: null, traceparent: null, work }, { running: true }), options)
    await want('a')
    await want('b')
    await want('b')
    await assert.rejects(want('c'), refusal)
  })
})

describe('the refusal for a budget', () => {
  const noon = Date.UTC(2026, 10, 22, 12)
  const budget = { of: 'account', unit: 'tokens', per: 'day', limit: 100, used: 90, reserved: 0 } as const

  it('reports what is used, what is left, when it resets, and when to retry', () => {
    const error = budgetExceeded(budget, noon, 20)
    for (const said of ['100 tokens a day', 'used 90', 'may need 20', '10 are left', '2026-11-23T00:00:00Z'])
      assert.ok(error.message.includes(said), said)
    assert.equal(error.retryAfterSeconds, 12 * 3600)
  })

  it('returns a short Retry-After if running work may release some', () => {
    const error = budgetExceeded({ ...budget, reserved: 10 }, noon)
    assert.equal(error.retryAfterSeconds, 5)
    assert.match(error.message, /reserved 10/)
  })

  for (const [what, given, code, said, seconds] of [
    ['a minute', { per: 'minute' }, 'rate_limit_exceeded', /^This account may use 100 tokens a minute .*reset at 2026-11-22T12:01:00Z/, 60],
    ['a minute that never has enough', { per: 'minute', limit: 10, used: 0 }, 'quota_exceeded', /may need 20 and 10 are left/, 60],
    [
      'money',
      { unit: 'money', limit: 2_500_000, used: 1_000_001 },
      'quota_exceeded',
      /may spend 2\.50 a day and has spent 1\.000001;/,
      43_200,
    ],
    [
      'what runs at once',
      { unit: 'requests', per: 'moment', limit: 3, used: 0, reserved: 3 },
      'concurrency_limit_exceeded',
      /reached its limit of 3 requests at once/,
      5,
    ],
    ['a token', { of: 'token' }, 'quota_exceeded', /^This access token may use 100 tokens a day/, 43_200],
  ] as const)
    it(`tells of ${what}`, () => {
      const error = budgetExceeded({ ...budget, ...given }, noon, 20)
      assert.equal(error.code, code)
      assert.match(error.message, said)
      assert.equal(error.retryAfterSeconds, seconds)
    })
})

describe('an estimate of tokens', () => {
  it('counts bytes and not characters, tools, and the calls of earlier turns', () => {
    const most = (changes: Partial<Extract<TextRequest['input'], { type: 'chat' }>>) => {
      const request = makeTextRequest('hi')
      if (request.input.type !== 'chat') throw new TypeError()
      return estimatePrompt({ ...request, input: { ...request.input, ...changes } }).most
    }
    const plain = most({})
    assert.ok(most({ messages: [{ role: 'user', content: '😀' }] }) >= plain + 2)
    assert.ok(most({ tools: [{ name: 'find', description: 'x'.repeat(50), parameters: {} }] }) > plain + 50)
    assert.ok(
      most({ messages: [{ role: 'assistant', content: null, toolCalls: [{ id: 'c', name: 'find', arguments: 'y'.repeat(40) }] }] }) >
        plain + 30,
    )
  })

  it('has a minimum that does not exceed its maximum, even for empty prompts', () => {
    for (const text of ['', 'a', 'x'.repeat(1000), '日本語'.repeat(100)]) {
      const { least, most } = estimatePrompt(makeTextRequest(text))
      assert.ok(least <= most && least > 0, text.slice(0, 5))
    }
    assert.equal(estimatePrompt({ ...makeTextRequest(''), input: { type: 'prompt', prompt: '', echo: false } }).most, 16)
  })

  it('of inputs to embed counts tokens exactly and texts by their bytes', () => {
    assert.equal(estimateInputs({ model: 'm', inputs: [[1, 2, 3]] }), 5)
    assert.equal(estimateInputs({ model: 'm', inputs: ['é', ''] }), 6)
  })
})
