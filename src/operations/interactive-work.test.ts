import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import { unobservedWork } from '../../test/support/memory/unobserved.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { type ErrorRecord, ServiceError, toErrorRecord } from '../core/error.ts'
import { noLimits } from '../core/limits/use-limits.ts'
import type { BudgetLedger } from '../core/ports/budget-ledger.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { UsageEntry } from '../core/usage.ts'
import { createFakeImageModel } from '../runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../runtimes/fake/fixed-model-pool.ts'
import { createAccount } from './access/accounts.ts'
import { placeOf } from './budgets/wish-of.ts'
import { collectText } from './collect-text.ts'
import { generateSeveral, generateText } from './generate-text.ts'
import type { InteractiveDependencies } from './recorded-work.ts'
import { createEmbedding, generateImage } from './run-work.ts'

const caller = { accountId: 'ada', tokenId: 'token', scopes: ['text', 'image'] as const, accountLimits: noLimits }
const options = { signal: new AbortController().signal }

function createParts(appendFails = false) {
  const clock = createTestClock()
  const booked: UsageEntry[] = []
  const reported = Promise.withResolvers<UsageEntry>()
  const fault = Promise.withResolvers<unknown>()
  const pool = createFixedModelPool({
    text: { 'fake-chat': createFakeTextModel({ clock, tokenDelayMs: 100 }) },
    image: { 'fake-image': createFakeImageModel({ clock, stepDelayMs: 100 }) },
  })
  const deps: InteractiveDependencies = {
    ...unobservedWork,
    pool,
    ledger: createMemoryStore({ clock, limits: { maxPending: 1 } }).ledger,
    clock,
    runLimitMs: 10_000,
    usage: {
      append: async (entry) => {
        if (appendFails) throw new Error('The disk is full')
        booked.push(entry)
      },
    },
    onBooked: reported.resolve,
    onFault: fault.resolve,
  }
  return { clock, pool, deps, booked, reported: reported.promise, fault: fault.promise }
}

suite('interactive work', () => {
  test('a finished generation is booked with its exact counts and its time', async () => {
    const { clock, deps, booked, reported } = createParts()
    const collected = collectText(generateText(deps, { caller, request: makeTextRequest('[say one two]') }, options))
    await clock.waiting(1)
    await clock.advance(10_000)
    const { choices, usage } = await collected
    assert.equal(choices[0]?.text, 'one two')
    assert.deepEqual(booked, [
      {
        accountId: 'ada',
        tokenId: 'token',
        model: 'fake-chat',
        kind: 'chat',
        outcome: 'succeeded',
        promptTokens: usage.promptTokens,
        completionTokens: 2,
        images: 0,
        cost: 0,
        durationMs: booked[0]?.durationMs,
        firstTokenMs: booked[0]?.firstTokenMs,
        at: booked[0]?.at,
      },
    ])
    assert.ok((booked[0]?.durationMs ?? 0) >= 200)
    assert.equal(await reported, booked[0])
  })

  test('leaving a generation early frees the slot and books it as far as it went', async () => {
    const { clock, pool, deps, booked } = createParts()
    const leave = new AbortController()
    const parts = generateText(deps, { caller, request: makeTextRequest('Hello') }, { signal: leave.signal })
    const first = parts.next()
    await clock.waiting(2)
    await clock.advance(100)
    await first
    await parts.next()
    leave.abort(new Error('gone'))
    await assert.rejects(parts.next(), /gone/)
    assert.equal(pool.states()[0]?.inUse, 0)
    assert.deepEqual([booked[0]?.outcome, booked[0]?.completionTokens], ['cancelled', 1])
  })

  test('leaving an answer of a server that reports counts at the end books the estimated prompt', async () => {
    const { clock, deps, booked } = createParts()
    const model: TextModel = {
      ...createFakeTextModel({ clock }),
      async *generate() {
        yield { type: 'text', choice: 0, text: 'a' }
        await new Promise(() => {})
      },
    }
    const leave = new AbortController()
    const pool = createFixedModelPool({ text: { 'fake-chat': model } })
    const request = makeTextRequest('x'.repeat(400))
    const parts = generateText({ ...deps, pool }, { caller, request }, { signal: leave.signal })
    await parts.next()
    leave.abort(new Error('gone'))
    await parts.return()
    assert.deepEqual([booked[0]?.outcome, booked[0]?.promptTokens, booked[0]?.completionTokens], ['cancelled', 102, 1])
  })

  test('its estimate includes pictures', async () => {
    const { clock, deps, booked, reported } = createParts()
    const model: TextModel = {
      ...createFakeTextModel({ clock }),
      async *generate() {
        yield { type: 'text', choice: 0, text: 'a' }
      },
    }
    const picture = { type: 'picture', mediaType: 'image/png', base64: 'AAAA' } as const
    const messages = [{ role: 'user', content: '', parts: [picture, picture] }] as const
    const request = makeTextRequest('', { input: { type: 'chat', messages, tools: [], toolChoice: 'auto', parallelToolCalls: true } })
    const pool = createFixedModelPool({ text: { 'fake-chat': model } })
    await Array.fromAsync(generateText({ ...deps, pool }, { caller, request }, options))
    await reported
    assert.equal(booked[0]?.promptTokens, 2002)
  })

  test('a run over its limit fails with inference_timeout and is booked as failed', async () => {
    const { clock, pool, deps, booked } = createParts()
    const running = generateImage(deps, { caller, work: { kind: 'image', request: makeImageRequest('[hang]') } }, options)
    const failed = assert.rejects(running, (error) => error instanceof ServiceError && error.code === 'inference_timeout')
    await clock.waiting(1)
    await clock.advance(10_000)
    await failed
    assert.equal(
      pool.states().every(({ inUse }) => inUse === 0),
      true,
    )
    assert.equal(booked[0]?.outcome, 'failed')
  })

  test('failed and refused work ends with its error and cause, and work whose client left without one', async () => {
    const { deps } = createParts()
    const ends: unknown[] = []
    const onEnded = ({ outcome }: UsageEntry, error: ErrorRecord | null) => ends.push([outcome, error])
    const run = async (failure: unknown, signal = options.signal) => {
      const text: TextModel = {
        // biome-ignore lint/correctness/useYield: it fails before its first part.
        async *generate() {
          throw failure
        },
        embed: () => Promise.reject(failure),
      }
      const dependencies = { ...deps, pool: createFixedModelPool({ text: { 'fake-chat': text } }), onEnded }
      await assert.rejects(createEmbedding(dependencies, { caller, request: { model: 'fake-chat', inputs: ['x'] } }, { signal }))
    }
    await run(new ServiceError('inference_failed', 'It failed.', { param: 'input', cause: new Error('No disk.') }))
    await run(new ServiceError('quota_exceeded', 'Too much.'))
    await run(new Error('A fault.'))
    await run(new ServiceError('inference_failed', 'It failed.'), AbortSignal.abort())
    assert.deepEqual(ends, [
      ['failed', { code: 'inference_failed', message: 'It failed.', param: 'input', cause: 'No disk.' }],
      ['refused', { code: 'quota_exceeded', message: 'Too much.', param: null }],
      ['failed', { ...toErrorRecord(null), cause: 'A fault.' }],
      ['cancelled', null],
    ])
  })

  test('of several prompts none is answered if the model refuses one, which is recorded', async () => {
    const { deps, clock, booked } = createParts()
    const fake = createFakeTextModel({ clock })
    let answered = 0
    const generate: TextModel['generate'] = (request, asked) => {
      answered++
      return fake.generate(request, asked)
    }
    const countPrompt: TextModel['countPrompt'] = async ({ input }) => {
      if (input.type === 'chat' && input.messages[0]?.content === 'too long')
        throw new ServiceError('context_length_exceeded', 'Shorten the prompt.', { param: 'prompt' })
      return 1
    }
    const pool = createFixedModelPool({ text: { 'fake-chat': { ...fake, generate, countPrompt } } })
    const several = (...texts: readonly string[]) =>
      collectText(generateSeveral({ ...deps, pool }, { caller, requests: texts.map((text) => makeTextRequest(text)) }, options))
    await assert.rejects(several('[say one]', 'too long'), { code: 'context_length_exceeded' })
    assert.deepEqual([answered, booked.map(({ outcome }) => outcome)], [0, ['failed']])
    assert.deepEqual(
      (await several('[say one]', '[say two]')).choices.map(({ text }) => text),
      ['one', 'two'],
    )
    assert.ok(pool.states().every(({ inUse }) => inUse === 0))
  })

  test('of several prompts none is counted beyond the limit of running requests, and counting takes one place until it is booked', async () => {
    const { deps, clock, booked } = createParts()
    const { accounts, ledger: own } = createMemoryStore({ clock, limits: { maxPending: 1 } })
    const { id: accountId } = await createAccount({ accounts, clock }, { name: 'Ada', role: 'member' }, options)
    await accounts.change(accountId, { limits: { ...noLimits, concurrentRequests: 1 }, by: null }, options)
    const ledger: BudgetLedger = {
      reserve: (wish) => own.reserve(wish, options),
      budgets: (holder) => own.budgets(holder, options),
      // What cannot be booked is tried again; a release is not.
      release: () => Promise.reject(new Error('The disk is full')),
    }
    const places: number[] = []
    const notePlaces = async () => {
      places.push(...(await ledger.budgets({ accountId, tokenId: null }, options)).map(({ reserved }) => reserved))
    }
    let fault: Error | null = null
    const countPrompt: TextModel['countPrompt'] = async () => {
      await notePlaces()
      if (fault !== null) throw fault
      return 1
    }
    const pool = createFixedModelPool({ text: { 'fake-chat': { ...createFakeTextModel({ clock }), countPrompt } } })
    const usage = {
      ...deps.usage,
      append: async (entry: UsageEntry, { id = '' }: { readonly id?: string | undefined }) => {
        booked.push(entry)
        await own.release(id, options)
      },
    }
    const several = () => {
      const requests = ['[say one]', '[say two]'].map((text) => makeTextRequest(text))
      return collectText(
        generateSeveral({ ...deps, pool, ledger, usage }, { caller: { ...caller, accountId, tokenId: null }, requests }, options),
      )
    }
    const request = makeTextRequest('[say one]')
    const other = placeOf(deps, { id: 'other', accountId, tokenId: null, traceparent: null, work: { kind: 'chat', request } })
    await ledger.reserve(other, options)
    await assert.rejects(several(), { code: 'concurrency_limit_exceeded' })
    assert.deepEqual([places, booked.map(({ outcome }) => outcome)], [[], ['refused']])
    await own.release('other', options)
    assert.equal((await several()).choices.length, 2)
    await nextTurn()
    fault = new ServiceError('context_length_exceeded', 'Shorten the prompt.')
    await assert.rejects(several(), fault)
    await nextTurn()
    await notePlaces()
    assert.deepEqual(places, [1, 1, 1, 1, 1, 0])
  })

  test('of several prompts one is recorded if their model cannot be loaded', async () => {
    const { deps, pool, booked } = createParts()
    const acquireText = () => Promise.reject(new ServiceError('server_is_overloaded', 'Try again.'))
    const requests = ['[say one]', '[say two]'].map((text) => makeTextRequest(text))
    const answers = generateSeveral({ ...deps, pool: { ...pool, acquireText } }, { caller, requests }, options)
    await assert.rejects(collectText(answers), { code: 'server_is_overloaded' })
    assert.deepEqual(
      booked.map(({ outcome, model }) => [outcome, model]),
      [['failed', 'fake-chat']],
    )
  })

  test('the ids of work are in order of time', async () => {
    const { deps, clock } = createParts()
    const ids: string[] = []
    const append = async (_entry: UsageEntry, { id = '' }: { readonly id?: string | undefined }) => void ids.push(id)
    const request = { model: 'fake-chat', inputs: ['x'] }
    for (let count = 0; count < 10; count++) {
      await createEmbedding({ ...deps, usage: { append } }, { caller, request }, options)
      await clock.advance(1)
    }
    assert.equal(new Set(ids).size, 10)
    assert.deepEqual(ids, ids.toSorted())
  })

  test('a failed write of the usage books fails no request and is reported', async () => {
    const { deps, fault, booked } = createParts(true)
    const ended: UsageEntry[] = []
    const onEnded = (entry: UsageEntry) => ended.push(entry)
    const result = await createEmbedding({ ...deps, onEnded }, { caller, request: { model: 'fake-chat', inputs: ['x'] } }, options)
    assert.equal(result.vectors.length, 1)
    assert.deepEqual(booked, [])
    assert.match(String(await fault), /disk is full/)
    assert.deepEqual(
      ended.map(({ model, outcome }) => [model, outcome]),
      [['fake-chat', 'succeeded']],
    )
  })

  test('no work starts, and nothing more is owed, while usage of earlier work cannot be recorded', async () => {
    const { deps, booked } = createParts()
    const usage = { ...deps.usage, owed: 1 }
    const request = makeTextRequest('[say one two]')
    const refused = { code: 'server_is_overloaded', retryAfterSeconds: 5 }
    await assert.rejects(collectText(generateText({ ...deps, usage }, { caller, request }, options)), refused)
    const embedding = createEmbedding({ ...deps, usage }, { caller, request: { model: 'fake-chat', inputs: ['x'] } }, options)
    await assert.rejects(embedding, refused)
    assert.deepEqual(booked, [])
  })
})
