import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamWindow } from './engine-call.ts'
import { streamWindow } from './engine-messages.ts'

async function take(window: StreamWindow, signal: AbortSignal): Promise<void> {
  if (!window.take()) await window.opened(signal)
}

async function fill(window: StreamWindow, signal: AbortSignal): Promise<void> {
  for (let part = 0; part < streamWindow; part++) await take(window, signal)
}

test('a full window opens again when the reader consumes parts', async () => {
  const { signal } = new AbortController()
  const window = new StreamWindow()
  await fill(window, signal)
  let sent = 0
  const sending = (async () => {
    for (; sent < 3; sent++) await take(window, signal)
  })()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(sent, 0)
  window.widen(2)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(sent, 2)
  window.widen(1)
  await sending
})

test('an abort ends the wait for a reader', async () => {
  const controller = new AbortController()
  const window = new StreamWindow()
  await fill(window, controller.signal)
  const waiting = take(window, controller.signal)
  controller.abort(new Error('client left'))
  await assert.rejects(waiting, /client left/)
})
