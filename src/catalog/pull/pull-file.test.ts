import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { BrokenOff } from '../catalog-fault.ts'
import type { ModelSource } from '../model-source.ts'
import { pullFile } from './pull-file.ts'

const whole = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251))
const listed = { bytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') }
const options = { signal: new AbortController().signal, onBytes: () => {} }
const wait = async () => {}

test('connections that break after their first bytes still deliver the whole file, part by part', async () => {
  await using folder = await createTemporaryFolder()
  const starts: number[] = []
  const openFile: ModelSource['openFile'] = async (_path, offset) => {
    starts.push(offset)
    const bytes = new PassThrough()
    bytes.write(whole.subarray(offset, offset + 100))
    setImmediate(() => bytes.destroy(new BrokenOff('gone')))
    return { offset, bytes }
  }
  const target = join(folder.path, 'file')
  await pullFile({ source: { readModelFile: async () => '', openFile }, wait }, { path: 'file', listed, target }, options)
  assert.deepEqual(await readFile(target), whole)
  assert.deepEqual(
    starts,
    Array.from({ length: 10 }, (_, index) => 100 * index),
  )
})

test('a source that ignores the range replaces what had arrived and leaves nothing else', async () => {
  await using folder = await createTemporaryFolder()
  const target = join(folder.path, 'file')
  await writeFile(`${target}.part`, 'what had arrived')
  await writeFile(`${target}.part.spans.new`, '[{')
  const source = {
    readModelFile: async () => '',
    openFile: async () => ({ offset: 0, bytes: [whole.subarray(0, 300), whole.subarray(300)] }),
  }
  await pullFile({ source, wait }, { path: 'file', listed, target }, options)
  assert.deepEqual(await readFile(target), whole)
  assert.deepEqual(await readdir(folder.path), ['file'])
})
