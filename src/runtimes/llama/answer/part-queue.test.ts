import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextPart } from '../../../core/text-generation.ts'
import { PartQueue } from './part-queue.ts'

const text = (value: string) => ({ type: 'text', choice: 0, text: value }) as const

async function readAll(queue: PartQueue): Promise<readonly TextPart[]> {
  const all: TextPart[] = []
  for (let parts = await queue.take(); parts.length > 0; parts = await queue.take()) all.push(...parts)
  return all
}

test('parts come out in order until the end', async () => {
  const queue = new PartQueue()
  queue.push(text('a'))
  const reading = readAll(queue)
  queue.push(text('b'))
  queue.finish()
  assert.deepEqual(await reading, [text('a'), text('b')])
})

test('a failure is thrown to a waiting reader', async () => {
  const queue = new PartQueue()
  const reading = readAll(queue)
  queue.fail(new Error('gone'))
  await assert.rejects(reading, /gone/)
})

test('a failure after the end changes nothing', async () => {
  const queue = new PartQueue()
  queue.push(text('a'))
  queue.finish()
  queue.fail(new Error('late'))
  assert.deepEqual(await readAll(queue), [text('a')])
})
