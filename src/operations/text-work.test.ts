import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts'
import { ServiceError } from '../core/error.ts'
import type { TextPart } from '../core/text-generation.ts'
import { collectText } from './collect-text.ts'
import { holdSlot } from './model-slot.ts'
import { UsageMeter } from './usage-meter.ts'

const usage = { promptTokens: 3, completionTokens: 9, cachedTokens: 1 }

async function* of(...parts: readonly TextPart[]): AsyncGenerator<TextPart> {
  yield* parts
}

describe('a collected text', () => {
  it('collects each choice, however mixed the parts arrive', async () => {
    const { choices, usage: counted } = await collectText(
      of(
        { type: 'text', choice: 1, text: 'x' },
        { type: 'text', choice: 0, text: 'a' },
        { type: 'thoughts', choice: 0, text: 'h' },
        { type: 'text', choice: 1, text: 'y' },
        { type: 'thoughts', choice: 0, text: 'm' },
        { type: 'choice-finish', choice: 1, reason: 'length' },
        { type: 'choice-finish', choice: 0, reason: 'stop' },
        { type: 'finish', usage },
      ),
    )
    assert.deepEqual(
      choices.map(({ text, thoughts, reason }) => [text, thoughts, reason]),
      [
        ['a', 'hm', 'stop'],
        ['xy', '', 'length'],
      ],
    )
    assert.deepEqual(counted, usage)
  })

  it('puts the pieces of several calls to the call they belong to', async () => {
    const { choices } = await collectText(
      of(
        { type: 'tool-call', choice: 0, index: 0, id: 'c0', name: 'find' },
        { type: 'tool-arguments', choice: 0, index: 0, fragment: '{"a"' },
        { type: 'tool-call', choice: 0, index: 1, id: 'c1', name: 'add' },
        { type: 'tool-arguments', choice: 0, index: 1, fragment: '{}' },
        { type: 'tool-arguments', choice: 0, index: 0, fragment: ':1}' },
        { type: 'choice-finish', choice: 0, reason: 'tool_calls' },
      ),
    )
    assert.deepEqual(choices[0]?.toolCalls, [
      { id: 'c0', name: 'find', arguments: '{"a":1}' },
      { id: 'c1', name: 'add', arguments: '{}' },
    ])
  })
})

describe('the meter of a text', () => {
  const subject = { accountId: 'ada', tokenId: null, model: 'm', kind: 'chat' } as const

  it('has the exact numbers once the text has ended', async () => {
    const clock = createTestClock()
    const meter = new UsageMeter(clock, subject)
    meter.noteText({ type: 'text', choice: 0, text: 'many tokens' })
    meter.noteText({ type: 'finish', usage })
    await clock.advance(250)
    assert.equal(meter.finished, true)
    assert.deepEqual(meter.entry('succeeded'), {
      ...subject,
      outcome: 'succeeded',
      promptTokens: 3,
      completionTokens: 9,
      images: 0,
      cost: 0,
      durationMs: 250,
      firstTokenMs: 0,
      at: clock.now(),
    })
  })

  it('has the right durations, also if the time of the system was set meanwhile', async () => {
    const clock = createTestClock()
    const meter = new UsageMeter(clock, subject)
    await clock.advance(100)
    clock.jump(clock.now() - 3_600_000)
    meter.noteText({ type: 'text', choice: 0, text: 'a' })
    await clock.advance(150)
    const { durationMs, firstTokenMs, at } = meter.entry('succeeded')
    assert.deepEqual([durationMs, firstTokenMs, at], [250, 100, clock.now()])
  })

  it('counts the received tokens if the reader leaves before the end', async () => {
    const meter = new UsageMeter(createTestClock(), subject)
    meter.notePrompt(7)
    meter.noteText({ type: 'text', choice: 0, text: 'a' })
    meter.noteText({ type: 'text', choice: 0, text: 'b' })
    meter.noteText({ type: 'thoughts', choice: 0, text: 'c' })
    meter.noteText({ type: 'tool-call', choice: 0, index: 0, id: 'd', name: 'e' })
    meter.noteText({ type: 'tool-arguments', choice: 0, index: 0, fragment: '{}' })
    const { promptTokens, completionTokens } = meter.entry('cancelled')
    assert.deepEqual([meter.finished, promptTokens, completionTokens], [false, 7, 4])
  })

  it('estimates an uncounted prompt after the first part, and counts none before', () => {
    const expectPrompt = (): number => 5
    const meters = Array.from({ length: 3 }, () => new UsageMeter(createTestClock(), subject, null, expectPrompt))
    for (const meter of meters.slice(1)) meter.noteText({ type: 'text', choice: 0, text: 'a' })
    meters[2]?.noteText({ type: 'finish', usage: { promptTokens: 0, completionTokens: 1, cachedTokens: 0 } })
    assert.deepEqual(
      meters.map((meter) => meter.entry('cancelled').promptTokens),
      [0, 5, 0],
    )
  })

  it('counts pictures that were removed for safety too: they were drawn', () => {
    const meter = new UsageMeter(createTestClock(), { ...subject, kind: 'image' })
    const facts = { encoding: 'png', width: 8, height: 8, safetyScore: 1, bytes: new Uint8Array() } as const
    const images = [true, false].map((removedForSafety, seed) => ({ ...facts, seed, removedForSafety }))
    meter.countImages({ images, computeMs: 1 })
    assert.equal(meter.entry('succeeded').images, 2)
  })
})

describe('a slot of a model', () => {
  const hold = (clock: TestClock, signal: AbortSignal) => {
    let isFree = false
    const lease = {
      model: 'm',
      [Symbol.asyncDispose]: async () => {
        isFree = true
      },
    }
    return {
      held: holdSlot({ clock, runLimitMs: 2000, onWork() {} }, Promise.resolve(lease), { signal, model: 'm' }),
      isFree: () => isFree,
    }
  }

  it('ends a run over the limit with an error that names the limit', async () => {
    const clock = createTestClock()
    await using slot = await hold(clock, new AbortController().signal).held
    await clock.advance(1999)
    assert.equal(slot.signal.aborted, false)
    await clock.advance(1)
    const { reason } = slot.signal
    assert.ok(reason instanceof ServiceError && reason.code === 'inference_timeout' && /2 seconds/.test(reason.message))
  })

  it('ends with the caller’s own reason, also when that came first', async () => {
    const clock = createTestClock()
    const left = new AbortController()
    await using during = await hold(clock, left.signal).held
    left.abort('gone')
    await using after = await hold(clock, left.signal).held
    assert.deepEqual([during.signal.reason, after.signal.reason], ['gone', 'gone'])
  })

  it('ends no run within the limit, and frees the slot when disposed', async () => {
    const clock = createTestClock()
    const left = new AbortController()
    const { held, isFree } = hold(clock, left.signal)
    const slot = await held
    assert.equal(isFree(), false)
    await slot[Symbol.asyncDispose]()
    await clock.advance(5000)
    left.abort()
    assert.deepEqual([slot.signal.aborted, isFree()], [false, true])
  })
})
