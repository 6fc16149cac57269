import assert from 'node:assert/strict'
import { type FileHandle, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { BrokenOff } from '../catalog-fault.ts'
import type { ModelSource } from '../model-source.ts'
import { notesOf, pullSpans } from './pull-spans.ts'

const whole = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251))
const options = { signal: new AbortController().signal, onBytes: () => {} }
const wait = async () => {}

/** A source that returns a file from the requested offset, or always from its start. */
function sourceOf(openFile: (offset: number) => Awaited<ReturnType<ModelSource['openFile']>>): ModelSource {
  return { readModelFile: async () => '', openFile: async (_path, offset) => openFile(offset) }
}
const skips = sourceOf((offset) => ({ offset, bytes: [whole.subarray(offset)] }))

async function inFolder(work: (part: string) => Promise<void>): Promise<void> {
  await using folder = await createTemporaryFolder()
  await work(join(folder.path, 'file.part'))
}

for (const connections of [1, 3, 7]) {
  test(`${connections} connections fetch the whole file and leave no notes`, () =>
    inFolder(async (part) => {
      assert.equal(await pullSpans({ source: skips, wait }, { path: 'file', part, bytes: 1000, connections }, options), true)
      assert.deepEqual(await readFile(part), whole)
      assert.deepEqual(await readdir(join(part, '..')), ['file.part'])
    }))
}

test('writes that end early, as on a nearly full disk, leave no gap', (context) =>
  inFolder(async (part) => {
    await using file = await open(part, 'w')
    const prototype: FileHandle = Object.getPrototypeOf(file)
    const { write } = prototype
    context.mock.method(
      prototype,
      'write',
      function (this: FileHandle, bytes: Uint8Array, offset: number, length: number, position: number) {
        return Reflect.apply(write, this, [bytes, offset, Math.min(length, 7), position])
      },
    )
    assert.equal(await pullSpans({ source: skips, wait }, { path: 'file', part, bytes: 1000, connections: 3 }, options), true)
    assert.deepEqual(await readFile(part), whole)
  }))

test('a process that is killed as soon as the file has its full size leaves notes of what is missing', (context) =>
  inFolder(async (part) => {
    await using file = await open(part, 'w')
    const prototype: FileHandle = Object.getPrototypeOf(file)
    const { truncate } = prototype
    const killed = context.mock.method(prototype, 'truncate', async function (this: FileHandle, bytes: number) {
      await Reflect.apply(truncate, this, [bytes])
      throw new Error('killed')
    })
    const pulled = { path: 'file', part, bytes: 1000, connections: 2 }
    await assert.rejects(pullSpans({ source: skips, wait }, pulled, options), /killed/)
    assert.match(await readFile(notesOf(part), 'utf8'), /"done":0/)
    killed.mock.restore()
    assert.equal(await pullSpans({ source: skips, wait }, pulled, options), true)
    assert.deepEqual(await readFile(part), whole)
  }))

test('a source without ranges is fetched by one connection, and nothing of the first attempt is left', () =>
  inFolder(async (part) => {
    const source = sourceOf(() => ({ offset: 0, bytes: [whole] }))
    assert.equal(await pullSpans({ source, wait }, { path: 'file', part, bytes: 1000, connections: 3 }, options), false)
    assert.deepEqual(await readdir(join(part, '..')), [])
  }))

test('a connection that repeatedly delivers nothing fails the attempt, and the next attempt uses its notes', () =>
  inFolder(async (part) => {
    const file = { path: 'file', part, bytes: 1000, connections: 2 }
    const broken = sourceOf((offset) => {
      if (offset >= 500) throw new BrokenOff('gone')
      return { offset, bytes: [whole.subarray(offset, offset + 100)] }
    })
    await assert.rejects(pullSpans({ source: broken, wait }, file, options), /gone/)
    assert.ok((await readFile(notesOf(part), 'utf8')).includes('"end":1000'))
    const requested: number[] = []
    const source = sourceOf((offset) => {
      requested.push(offset)
      return { offset, bytes: [whole.subarray(offset)] }
    })
    assert.equal(await pullSpans({ source, wait }, file, options), true)
    assert.ok(!requested.includes(0), 'the bytes of the first connection are kept')
    assert.deepEqual(await readFile(part), whole)
  }))

for (const notes of ['', 'no JSON', '{}', '[]', '[{"done":5}]', '[{"done":0,"end":10}]', '[{"done":20,"end":10}]']) {
  test(`notes with ${JSON.stringify(notes)} are ignored`, () =>
    inFolder(async (part) => {
      await writeFile(part, 'rubbish')
      await writeFile(notesOf(part), notes)
      assert.equal(await pullSpans({ source: skips, wait }, { path: 'file', part, bytes: 1000, connections: 2 }, options), true)
      assert.deepEqual(await readFile(part), whole)
    }))
}
