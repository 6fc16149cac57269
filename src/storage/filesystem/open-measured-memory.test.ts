import assert from 'node:assert/strict'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openMeasuredMemory } from './open-measured-memory.ts'

const took = { processorBytes: 5, gpuBytes: 7 }

test('the measured memory of a model is kept over a restart, for the same conditions only', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'measured-'))
  const file = join(folder.path, 'memory.json')
  const before = await openMeasuredMemory(file)
  await Promise.all([before.note('org/m', '8 slots', { processorBytes: 1, gpuBytes: 2 }), before.note('org/m', '8 slots', took)])
  const after = await openMeasuredMemory(file)
  assert.deepEqual(after.find('org/m', '8 slots'), took)
  assert.equal(after.find('org/m', '4 slots'), undefined)
  assert.equal(after.find('other', '8 slots'), undefined)
})

test('a damaged file counts as empty, and is replaced', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'measured-'))
  const file = join(folder.path, 'memory.json')
  for (const text of ['{', '[]', 'null', '{"m":{"conditions":"c","processorBytes":-1,"gpuBytes":0}}', '{"m":3}']) {
    await writeFile(file, text)
    const measured = await openMeasuredMemory(file)
    assert.equal(measured.find('m', 'c'), undefined)
    await measured.note('m', 'c', took)
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { m: { conditions: 'c', ...took } })
  }
})

test('if the folder is not writable, only the measurements are lost', async () => {
  const measured = await openMeasuredMemory('/nonexistent/memory.json')
  await measured.note('m', 'c', took)
  assert.deepEqual(measured.find('m', 'c'), took)
})
