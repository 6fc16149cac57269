import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { conversationKey } from '../core/cluster/attraction.ts'
import { ServiceError } from '../core/error.ts'
import { readPortable, writePortable } from '../core/portable-value.ts'
import type { ModelState } from '../core/ports/model-pool.ts'
import { carryError, questionWindowMs, uncarryError } from './lease-wire.ts'
import { mergeStates } from './merge-states.ts'
import { isEqual, leaseKey, QuestionGuard, SealedLines, seal, sealQuestion, splitLines } from './sealed-lines.ts'
import { repeat, watchSilence } from './watch-silence.ts'

const secret = createSecretKey(randomBytes(32))

suite('values between nodes', () => {
  for (const value of [
    null,
    'ü🙂\n',
    [1, [], {}],
    {
      a: Buffer.from('one'),
      b: [new Uint8Array([0, 255]), new Uint8Array()],
      c: new Map<unknown, unknown>([
        ['x', new Uint8Array([7])],
        [5, { y: null }],
      ]),
    },
    { $: 'bytes', at: 0, length: 9 },
    { $: { $: 'map' }, b: 1 },
    ['$', '\\u0024', { a: '$' }],
    JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
  ])
    test(`${JSON.stringify(value).slice(0, 50)} is read as it was written`, () => {
      const { json, parts } = writePortable(value)
      const read = readPortable(json, Buffer.concat(parts))
      const bytesAsArrays = (each: unknown): unknown =>
        each instanceof Uint8Array
          ? ['bytes', ...each]
          : each instanceof Map
            ? ['map', ...[...each].map(bytesAsArrays)]
            : Array.isArray(each)
              ? each.map(bytesAsArrays)
              : typeof each === 'object' && each !== null
                ? Object.entries(each).map(([key, inner]) => [key, bytesAsArrays(inner)])
                : each
      assert.deepEqual(bytesAsArrays(read), bytesAsArrays(value))
    })

  test('received bytes are a copy, not a view of the line', () => {
    const { json, parts } = writePortable(new Uint8Array([1, 2]))
    const came = Buffer.concat(parts)
    const read = readPortable(json, came)
    came.fill(0)
    assert.deepEqual(read, new Uint8Array([1, 2]))
  })

  test('an error keeps what callers need and loses internal details', () => {
    const error = new ServiceError('quota_exceeded', 'Wait.', { param: 'tokens', retryAfterSeconds: 7 })
    const carried: ServiceError = uncarryError(JSON.parse(JSON.stringify(carryError(error))))
    assert.deepEqual([carried.code, carried.message, carried.param, carried.retryAfterSeconds], ['quota_exceeded', 'Wait.', 'tokens', 7])
    const unknown = uncarryError(JSON.parse(JSON.stringify(carryError(new TypeError('x is undefined')))))
    assert.deepEqual([unknown.code, unknown.param, unknown.retryAfterSeconds], ['internal_error', undefined, undefined])
    assert.ok(!unknown.message.includes('undefined'))
  })
})

suite('sealed lines', () => {
  const key = leaseKey(secret, 'a', 'b')

  test('are read in order with the key', () => {
    const [writer, reader] = [new SealedLines(key, 'asker'), new SealedLines(key, 'asker')]
    for (const value of [{ a: 1 }, 'x\ny', { bytes: new Uint8Array([1, 2, 3]) }, null]) {
      const line = writer.write(value)
      assert.equal(line.indexOf('\n'), line.length - 1)
      assert.deepEqual(reader.read(line.slice(0, -1)), value)
    }
  })

  for (const [name, forge] of [
    ['with another key', () => new SealedLines(leaseKey(secret, 'b', 'a'), 'asker').write(1)],
    ['of the other direction', () => new SealedLines(key, 'lender').write(1)],
    ['that was changed', () => new SealedLines(key, 'asker').write(1).replace('- 1', '- 2')],
    ['without a seal', () => '- 1\n'],
    ['without anything', () => '\n'],
    [
      'of another place',
      () => {
        const writer = new SealedLines(key, 'asker')
        writer.write(1)
        return writer.write(1)
      },
    ],
  ] as const)
    test(`a line ${name} is refused`, () => assert.throws(() => new SealedLines(key, 'asker').read(forge().trimEnd()), /wrong seal/))

  test('a repeated line is rejected', () => {
    const [writer, reader] = [new SealedLines(key, 'asker'), new SealedLines(key, 'asker')]
    const line = writer.write(1).trimEnd()
    reader.read(line)
    assert.throws(() => reader.read(line), /wrong seal/)
  })

  test('the seal depends on where parts are cut', () => {
    const seals = [seal(secret, 'ab', 'c'), seal(secret, 'a', 'bc'), seal(secret, 'abc'), seal(secret, 'abc', ''), seal(secret, '1:a')]
    assert.equal(new Set(seals).size, seals.length)
    assert.ok(isEqual(seal(secret, 'ü'), seal(secret, 'ü')))
    for (const other of ['', 'x', `${seal(secret, 'ü')}=`]) assert.ok(!isEqual(seal(secret, 'ü'), other))
  })

  async function* chunks(text: string, size: number): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }

  test('a stream has the same lines however its bytes are cut', async () => {
    const text = 'one\n\nzwölf 🙂\nlast\n'
    for (let size = 1; size <= Buffer.byteLength(text); size++)
      assert.deepEqual(await Array.fromAsync(splitLines(chunks(text, size), () => 100)), ['one', '', 'zwölf 🙂', 'last'])
  })

  test('a line that breaks off or is too long ends the stream', async () => {
    await assert.rejects(Array.fromAsync(splitLines(chunks('one\ntw', 3), () => 100)), /broke off within a line/)
    await assert.rejects(Array.fromAsync(splitLines(chunks('x'.repeat(50), 5), () => 20)), /too long/)
    const read: string[] = []
    await assert.rejects(async () => {
      for await (const line of splitLines(chunks(`ok\n${'x'.repeat(50)}\n`, 4), () => 20)) read.push(line)
    }, /too long/)
    assert.deepEqual(read, ['ok'])
  })
})

suite('questions between nodes', () => {
  const question = { from: 'api', to: 'worker', line: '{"kind":"text"}' }
  const ask = (at: number, fields: Partial<typeof question> = {}) => ({ ...sealQuestion(secret, { ...question, ...fields, at }) })

  test('are heard once, by the node they are for', () => {
    const clock = createTestClock()
    const guard = new QuestionGuard(secret, clock)
    const headers = ask(clock.now())
    assert.equal(guard.admits(headers, { ...question, to: 'other' }), false)
    assert.equal(guard.admits(headers, { ...question, line: '{"kind":"load"}' }), false)
    assert.equal(guard.admits(headers, question), true)
    assert.equal(guard.admits(headers, question), false)
    assert.equal(guard.admits(ask(clock.now()), question), true, 'another with the same words is another')
  })

  for (const [name, change] of [
    ['no seal', { 'x-sepia-seal': undefined }],
    ['a seal of somebody else', { 'x-sepia-seal': seal(createSecretKey(randomBytes(32)), 'question') }],
    ['another sender', { 'x-sepia-node': 'worker' }],
    ['another time', { 'x-sepia-time': '0' }],
    ['another nonce', { 'x-sepia-nonce': 'x' }],
    ['a list for a nonce', { 'x-sepia-nonce': ['a', 'b'] }],
  ] as const)
    test(`with ${name} are not heard`, () => {
      const clock = createTestClock()
      assert.equal(new QuestionGuard(secret, clock).admits({ ...ask(clock.now()), ...change }, question), false)
    })

  for (const [offset, received] of [
    [-questionWindowMs, true],
    [questionWindowMs, true],
    [-questionWindowMs - 1, false],
    [questionWindowMs + 1, false],
    [Number.NaN, false],
  ] as const)
    test(`from ${offset} ms are ${received ? '' : 'not '}heard`, () => {
      const clock = createTestClock()
      assert.equal(new QuestionGuard(secret, clock).admits(ask(clock.now() + offset), question), received)
    })

  test('from a clock that is ahead are never accepted twice, even much later', async () => {
    const clock = createTestClock()
    const guard = new QuestionGuard(secret, clock)
    const early = ask(clock.now() + questionWindowMs)
    assert.equal(guard.admits(early, question), true)
    for (let step = 0; step <= 20; step++) {
      assert.equal(guard.admits(early, question), false, `after ${(step * questionWindowMs) / 8} ms`)
      assert.equal(guard.admits(ask(clock.now()), question), true)
      await clock.advance(questionWindowMs / 8)
    }
  })
})

suite('silence', () => {
  test('is reported once, one limit after the last sign', async () => {
    const clock = createTestClock()
    let limit = 3000
    let reported = 0
    using watch = watchSilence(
      { clock },
      () => limit,
      () => {
        reported += 1
      },
    )
    await clock.advance(2900)
    watch.onSign()
    limit = 5000
    await clock.advance(4900)
    assert.equal(reported, 0)
    await clock.advance(200)
    assert.equal(reported, 1)
    await clock.advance(60_000)
    assert.equal(reported, 1)
  })

  test('is measured alike while the time of the system is set', async () => {
    const clock = createTestClock()
    let reported = 0
    using _watch = watchSilence(
      { clock },
      () => 3000,
      () => {
        reported += 1
      },
    )
    const counts: number[] = []
    for (const hours of [1, -1, 1]) {
      clock.jump(clock.now() + hours * 3_600_000)
      await clock.advance(1000)
      counts.push(reported)
    }
    assert.deepEqual(counts, [0, 0, 1])
  })

  test('is ignored after the reader has left, and pings end', async () => {
    const clock = createTestClock()
    let reported = 0
    watchSilence(
      { clock },
      () => 1000,
      () => {
        reported += 1
      },
    )[Symbol.dispose]()
    const pings = repeat({ clock }, 1000, () => {
      reported += 10
    })
    await clock.advance(3500)
    assert.equal(reported, 30)
    pings[Symbol.dispose]()
    await clock.advance(5000)
    assert.equal(reported, 30)
  })
})

suite('a model on several nodes', () => {
  const state = (modelId: string, fields: Partial<ModelState>): ModelState => ({
    modelId,
    state: 'unloaded',
    memoryBytes: 0,
    slots: 1,
    inUse: 0,
    waiting: 0,
    ...fields,
  })

  test('has the best state of all nodes, with their sums', () => {
    const merged = mergeStates([
      [state('a', { state: 'backing-off' }), state('b', {})],
      [state('a', { state: 'loaded', memoryBytes: 5, slots: 4, inUse: 2, waiting: 1, contextLength: 8 })],
      [state('a', { state: 'loading', slots: 2 }), state('a', { state: 'loaded', memoryBytes: 7, slots: 4, inUse: 1 })],
      [],
    ])
    assert.deepEqual(merged, [
      { modelId: 'a', state: 'loaded', memoryBytes: 12, slots: 11, inUse: 3, waiting: 1, contextLength: 8, nodes: 2 },
      { modelId: 'b', state: 'unloaded', memoryBytes: 0, slots: 1, inUse: 0, waiting: 0, nodes: 0 },
    ])
    assert.deepEqual(mergeStates([]), [])
    const order = ['loaded', 'loading', 'unloaded', 'backing-off'] as const
    for (const [at, best] of order.entries())
      for (const worse of order.slice(at))
        assert.equal(mergeStates([[state('a', { state: worse })], [state('a', { state: best })]])[0]?.state, best)
  })

  test('a conversation keeps its key from turn to turn, and two accounts never share one', () => {
    const messages = [
      { role: 'system', content: 'You' },
      { role: 'user', content: 'Hi' },
    ] as const
    const request = makeTextRequest('')
    assert.ok(request.input.type === 'chat')
    const chat = { ...request, input: { ...request.input, messages } }
    const later = {
      ...chat,
      input: { ...chat.input, messages: [...messages, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'So?' }] as const },
    }
    assert.equal(conversationKey('a', chat), conversationKey('a', later))
    assert.notEqual(conversationKey('a', chat), conversationKey('b', chat))
    const prompt = (fields: object) => conversationKey('a', { ...request, input: { type: 'prompt', prompt: '', echo: false, ...fields } })
    assert.equal(prompt({ prompt: 'x'.repeat(600) }), prompt({ prompt: `${'x'.repeat(512)}y` }))
    assert.notEqual(prompt({ tokens: [1, 23] }), prompt({ tokens: [12, 3] }))
  })
})
