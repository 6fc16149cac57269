import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineGate } from './serve-engine.ts'

const { signal } = new AbortController()

test('admits as many requests as it has slots, then in order of arrival', async () => {
  const gate = new EngineGate(1)
  const entered: string[] = []
  const first = await gate.enter(signal)
  const second = gate.enter(signal).then((place) => {
    entered.push('second')
    return place
  })
  const third = gate.enter(signal).then(() => entered.push('third'))
  first[Symbol.dispose]()
  ;(await second)[Symbol.dispose]()
  await third
  assert.deepEqual(entered, ['second', 'third'])
})

test('an aborted request leaves the queue', async () => {
  const gate = new EngineGate(1)
  const controller = new AbortController()
  const first = await gate.enter(signal)
  const leaving = gate.enter(controller.signal)
  controller.abort(new Error('client left'))
  await assert.rejects(leaving, /client left/)
  first[Symbol.dispose]()
  ;(await gate.enter(signal))[Symbol.dispose]()
})
