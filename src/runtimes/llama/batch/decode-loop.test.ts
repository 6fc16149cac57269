import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, SlowContext, start } from '../../../../test/support/engines/followed-generation.ts'
import { ComputeThreads } from '../binding/compute-threads.ts'
import { CountingContext } from '../binding/counting-context.ts'
import type { GuessedText, Guesser } from '../speculation/guesser.ts'

/** Guesses the given tokens, as many as fit. */
function guessing(guess: (text: GuessedText) => readonly number[]): Guesser {
  return {
    guess: async (texts, choose) => {
      const guesses = texts.map((text) => Uint32Array.from(guess(text)))
      const length = choose(Math.min(...guesses.map((each) => each.length)), 0)
      return guesses.map((each) => each.subarray(0, length))
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

test('generations decode together, each to its own limit', async () => {
  const { loop, context } = start(2)
  const [one, two] = [follow([7, 7]), follow([8, 8, 8], { limit: 1 })]
  loop.submit(one.generation)
  loop.submit(two.generation)
  await Promise.all([one.released, two.released])
  assert.deepEqual(one.log, ['prompt 0', '2', '3', '4', 'limit'])
  assert.deepEqual(two.log, ['prompt 0', '3', 'limit'])
  assert.deepEqual(context.batches, ['0:2 1:3', '0:1', '0:1'])
})

test('more generations than sequences wait in order; the next choice of a request goes first', async () => {
  const { loop } = start(1)
  const order: string[] = []
  const named = (name: string) => follow([1, 2], { limit: 1, onPrompt: () => order.push(name) })
  const all = [named('first'), named('second'), named('urgent')] as const
  loop.submit(all[0].generation)
  loop.submit(all[1].generation)
  loop.submit(all[2].generation, 'next')
  await Promise.all(all.map((each) => each.released))
  assert.equal(order.indexOf('urgent') < order.indexOf('second'), true)
})

test('sixteen choices of one request do not go before a request of another account', async () => {
  const { loop } = start(2)
  const order: string[] = []
  const named = (account: string, name: string) => follow([1, 2], { account, limit: 1, onPrompt: () => order.push(name) })
  const first = named('a', 'a0')
  const others = Array.from({ length: 15 }, (_, index) => named('a', `a${index + 1}`))
  const neighbour = named('b', 'b')
  loop.submit(first.generation)
  loop.submit(neighbour.generation)
  for (const { generation } of others.toReversed()) loop.submit(generation, 'next')
  await Promise.all([first, neighbour, ...others].map(({ released }) => released))
  assert.ok(order.indexOf('b') <= 2, order.join(' '))
  assert.deepEqual(
    order.filter((name) => name !== 'b'),
    ['a0', ...others.map((_, index) => `a${index + 1}`)],
  )
})

test('a listener that wants no more ends only its own generation', async () => {
  const { loop } = start(2)
  const enough = follow([1, 1], { limit: 9, onToken: () => false })
  const other = follow([1, 1])
  loop.submit(enough.generation)
  loop.submit(other.generation)
  await Promise.all([enough.released, other.released])
  assert.deepEqual(enough.log, ['prompt 0'])
  assert.equal(other.log.at(-1), 'limit')
})

test('a listener that throws fails only its own generation', async () => {
  const { loop } = start(2)
  const broken = follow([1, 1], {
    onToken: () => {
      throw new Error('my fault')
    },
  })
  const other = follow([1, 1])
  loop.submit(broken.generation)
  loop.submit(other.generation)
  await Promise.all([broken.released, other.released])
  assert.deepEqual(broken.log, ['prompt 0', 'my fault'])
  assert.equal(other.log.at(-1), 'limit')
})

test('a failing batch fails the running generations; the next request is served', async () => {
  const { loop, context } = start(1)
  context.failures = 1
  const [failed, next] = [follow([1, 2]), follow([1, 2])]
  loop.submit(failed.generation)
  await failed.released
  loop.submit(next.generation)
  await next.released
  assert.deepEqual(failed.log, ['The language model failed; send the request again.'])
  assert.equal(next.log.at(-1), 'limit')
})

test('a cancelled generation gets no more events and returns its sequence', async () => {
  const { loop } = start(1)
  const endless = follow([1, 2], { limit: 1_000_000 })
  const waiting = follow([3, 4])
  const cancelling = follow([1, 2], {
    limit: 1_000_000,
    onToken: () => {
      loop.cancel(cancelling.generation)
      return true
    },
  })
  loop.submit(cancelling.generation)
  loop.submit(waiting.generation)
  loop.submit(endless.generation)
  loop.cancel(endless.generation)
  await Promise.all([cancelling.released, waiting.released, endless.released])
  assert.deepEqual(endless.log, [])
  assert.equal(waiting.log.at(-1), 'limit')
})

test('a sequence between two gaps is moved next to the others', async () => {
  const { loop, context } = start(3)
  const all = [follow([1, 1], { limit: 20 }), follow([2, 2], { limit: 1 }), follow([3, 3], { limit: 20 })]
  for (const each of all) loop.submit(each.generation)
  await Promise.all(all.map((each) => each.released))
  assert.ok(context.batches.includes('0:1 2:1'))
  assert.equal(context.batches.at(-1), '0:1 1:1')
})

test('a generation cancelled while its prefix is copied never starts', async () => {
  const { loop, context } = start(2)
  const prompt = Array.from({ length: 20 }, (_, index) => index)
  const lender = follow(prompt, { limit: 30 })
  let releases = 0
  const leasingNode = follow(prompt, { onRelease: () => releases++ })
  context.onCopy = () => loop.cancel(leasingNode.generation)
  loop.submit({ ...lender.generation, onPrompt: () => loop.submit(leasingNode.generation) })
  await lender.released
  assert.deepEqual([leasingNode.log, releases], [[], 1])
})

test('if native calls run in order, sampling is queued behind its batch, unless it depends on the previous token', async () => {
  for (const [inOrder, drawsAhead, requested] of [
    [true, true, ['decode', 'draw']],
    [true, false, ['decode']],
    [false, true, ['decode']],
  ] as const) {
    const context = new SlowContext()
    const { loop } = start(1, { context, inOrder })
    const { generation, log, released } = follow([7], { limit: 2, drawsAhead })
    loop.submit(generation)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(context.requested, requested)
    context.finishBatches()
    await released
    assert.deepEqual(log, ['prompt 0', '1', '2', 'limit'])
  }
})

/** A context that records which batches the loop's own thread computes. */
class PlacedContext extends CountingContext {
  readonly here: boolean[] = []

  override async decodeBatch(threads: number, { here = false } = {}): Promise<boolean> {
    this.here.push(here)
    return await super.decodeBatch(threads)
  }
}

test('the loop computes a single text on its own thread when its batches are quick', async () => {
  for (const [options, texts, here] of [
    [{ inOrder: true }, 1, [false, true, true]],
    [{ inOrder: true, batchMs: 100 }, 1, [false, false, false]],
    [{ inOrder: true }, 2, [false, false, false]],
    [{ inOrder: false }, 1, [false, false, false]],
  ] as const) {
    const context = new PlacedContext()
    const { loop } = start(2, { context, ...options })
    const all = Array.from({ length: texts }, () => follow([7, 7]))
    for (const { generation } of all) loop.submit(generation)
    await Promise.all(all.map(({ released }) => released))
    assert.deepEqual(context.here, here)
    for (const { log } of all) assert.deepEqual(log, ['prompt 0', '2', '3', '4', 'limit'])
  }
})

test('while the loop computes on its own thread, tokens are emitted before the next batch, and new work is noticed in between', async () => {
  const context = new PlacedContext()
  const { loop } = start(1, { context, inOrder: true, batchMs: 5 })
  const batches: number[] = []
  const text = follow([7, 7], {
    limit: 9,
    onToken: () => {
      batches.push(context.batches.length)
      if (batches.length === 3) setImmediate(() => loop.cancel(text.generation))
      return true
    },
  })
  loop.submit(text.generation)
  await text.released
  assert.deepEqual(batches, [1, 2, 3])
  assert.deepEqual([context.batches.length, context.here], [3, [false, true, true]])
})

test('texts that only continue do not make the batches of the next prompt smaller', async () => {
  const { loop, context } = start(34, { batchMs: 10 })
  const late = follow(Array.from({ length: 512 }, () => 7))
  const onToken = (token: number): boolean => {
    if (token === 20) loop.submit(late.generation)
    return true
  }
  const all = Array.from({ length: 33 }, (_, index) => follow([7, 7], { limit: 30, ...(index === 0 && { onToken }) }))
  for (const { generation } of all) loop.submit(generation)
  await Promise.all([late, ...all].map(({ released }) => released))
  assert.ok(context.batches.some((batch) => batch.endsWith(' 33:512')))
})

/** The counting context's next tokens. */
const count = ({ tokens }: GuessedText, length: number): number[] => Array.from({ length }, (_, index) => tokens.length + index)

test('correct guesses produce several tokens in one batch, never more than the limit', async () => {
  const { loop, context } = start(1, { guesser: guessing((text) => count(text, 4)) })
  const { generation, log, released } = follow([7, 7], { limit: 9 })
  loop.submit(generation)
  await released
  assert.deepEqual(log, ['prompt 0', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'limit'])
  assert.deepEqual(context.batches, ['0:2', '0:1', '0:5', '0:2'])
})

test('a wrong guess and the guesses after it are discarded', async () => {
  const { loop, context } = start(1, { guesser: guessing((text) => [...count(text, 1), 99, text.tokens.length + 2]) })
  const { generation, log, released } = follow([7, 7], { limit: 6 })
  loop.submit(generation)
  await released
  assert.deepEqual(log, ['prompt 0', '2', '3', '4', '5', '6', '7', 'limit'])
  assert.deepEqual(context.batches.slice(0, 3), ['0:2', '0:1', '0:4'])
  assert.deepEqual(context.removals.slice(0, 1), ['0:5'])
})

test('a listener that wants no more in the middle of a guess stops there', async () => {
  const { loop } = start(1, { guesser: guessing((text) => count(text, 4)) })
  const received: number[] = []
  const { generation, released } = follow([7, 7], { limit: 20, onToken: (token) => received.push(token) < 4 })
  loop.submit(generation)
  await released
  assert.deepEqual(received, [2, 3, 4, 5])
})

test('nothing is guessed while a prompt is read, or when one of the texts has no guess', async () => {
  const { loop, context } = start(2, { guesser: guessing((text) => (text.account === 'a' ? count(text, 4) : [])) })
  const both = [follow([7, 7], { limit: 6 }), follow([8, 8], { limit: 6, account: 'b' })]
  for (const { generation } of both) loop.submit(generation)
  await Promise.all(both.map(({ released }) => released))
  assert.ok(context.batches.every((batch) => !/[3-9]/.test(batch)))
})

test('prompts that start together read equally many tokens, rereading cached ones if necessary', async () => {
  const { loop, context } = start(3)
  const beginning = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  const warm = [follow([...beginning, 20], { limit: 1 }), follow([...beginning, 30], { limit: 1 })] as const
  for (const { generation } of warm) loop.submit(generation)
  await Promise.all(warm.map(({ released }) => released))
  context.batches.length = 0
  const next = [follow([...beginning, 20, 21, 22, 23, 24], { limit: 1 }), follow([...beginning, 30, 31, 32], { limit: 1 })] as const
  for (const { generation } of next) loop.submit(generation)
  await Promise.all(next.map(({ released }) => released))
  assert.deepEqual(context.batches, ['0:4 1:4'])
  assert.deepEqual(
    next.map(({ log }) => log[0]),
    ['prompt 11', 'prompt 9'],
  )
})

test('every batch uses as many threads as the model may use when it begins', async () => {
  const allowed = { count: 4 }
  const { loop, context } = start(1, { threads: new ComputeThreads(allowed, 1e9) })
  const { generation, released } = follow([7, 7], {
    limit: 4,
    onToken: (token) => {
      if (token === 2) allowed.count = 2
      return true
    },
  })
  loop.submit(generation)
  await released
  assert.deepEqual(context.threads, [4, 4, 2, 2])
})

test('texts can end, be cancelled and be added while others are generated', async () => {
  for (const inOrder of [true, false]) {
    const { loop, context } = start(3, { inOrder })
    const late = follow([9, 9], { limit: 2 })
    const short = follow([7, 7], { limit: 4 })
    const cancelled = follow([8, 8], {
      limit: 100,
      onToken: (token) => {
        cancelled.log.push(String(token))
        if (token === 7) loop.cancel(cancelled.generation)
        return true
      },
    })
    const long = follow([6, 6], {
      limit: 12,
      onToken: (token) => {
        if (token === 10) loop.submit(late.generation)
        return long.log.push(String(token)) > 0
      },
    })
    for (const { generation } of [short, cancelled, long]) loop.submit(generation)
    await Promise.all([short, cancelled, long, late].map(({ released }) => released))
    assert.deepEqual(short.log, ['prompt 0', '2', '3', '4', '5', 'limit'])
    assert.deepEqual(cancelled.log, ['prompt 0', '2', '3', '4', '5', '6', '7'])
    assert.deepEqual(long.log.slice(1), [...Array.from({ length: 12 }, (_, index) => String(index + 2)), 'limit'])
    assert.deepEqual(late.log, ['prompt 0', '2', '3', 'limit'])
    assert.ok(context.batches.every((batch) => batch.split(' ').length <= 3))
  }
})

test('work between batches takes turns with them, and its failure affects only its caller', async () => {
  for (const inOrder of [true, false]) {
    const { loop, context } = start(1, { inOrder })
    const { generation, log, released } = follow([7, 7], { limit: 5 })
    const compute = (name: string) => loop.between(async () => context.batches.push(name))
    loop.submit(generation)
    const failed = assert.rejects(
      loop.between(() => Promise.reject(new Error('not enough memory'))),
      /not enough memory/,
    )
    await Promise.all([compute('one').then(() => compute('two')), failed, released])
    assert.deepEqual(context.batches, ['0:2', '0:1', 'one', '0:1', 'two', '0:1', '0:1'])
    assert.deepEqual(log, ['prompt 0', '2', '3', '4', '5', '6', 'limit'])
    assert.equal(await compute('alone'), 8)
  }
})

test('tokens are emitted while other work runs between two batches', async () => {
  const { loop } = start(1)
  const { promise: received, resolve } = Promise.withResolvers<void>()
  const { generation, released } = follow([7, 7], {
    limit: 3,
    onToken: () => {
      resolve()
      return true
    },
  })
  loop.submit(generation)
  await loop.between(() => received)
  await released
})
