import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { ServiceError } from '../../core/error.ts'
import type { Batch } from '../../core/files/batch.ts'
import { findFile } from '../../operations/files/file-documents.ts'
import { keepFile, storeBytes } from '../../operations/files/kept-files.ts'
import { type BatchDependencies, setFilesExpiry, validateBatch, writePage } from './batch-pages.ts'

const options = { signal: new AbortController().signal }

const hourMs = 60 * 60 * 1000

function createParts() {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const deps = { documents, outputs: createMemoryOutputs({ clock }), clock } as unknown as BatchDependencies
  const file = { uuid: 'f', bytes: 0, parts: [] }
  const times = { createdAt: clock.now(), expiresAt: clock.now() + 24 * hourMs, filesLifetimeMs: hourMs }
  const begun = { id: 'b', accountId: 'ada', output: file, errors: file, place: { offset: 0, page: 0 }, ...times } as unknown as Batch
  const write = (batch: Batch, given = deps) => writePage(given, batch, { which: 'output', lines: [Buffer.from('one\n')] }, options)
  const second = (output: Batch['output']): Batch => ({ ...begun, output, place: { offset: 4, page: 1 } })
  const read = () => findFile(deps, { accountId: 'ada', id: 'file-f' }, options)
  return { deps, clock, begun, write, second, read }
}

for (const when of ['before', 'while'] as const) {
  test(`a page that another node appended ${when} a slower one writes the page before stays in the file`, async () => {
    const { deps, begun, write, second, read } = createParts()
    const { documents } = deps
    const appendTwo = async () => void (await write(second(await write(begun))))
    if (when === 'before') {
      await appendTwo()
      await write(begun)
    } else {
      let isAppended = false
      const racing: typeof documents = Object.create(documents, {
        put: {
          value: async (...given: Parameters<typeof documents.put>) => {
            if (!isAppended) await appendTwo()
            isAppended = true
            return documents.put(...given)
          },
        },
      })
      await write(begun, { ...deps, documents: racing })
    }
    const { parts, bytes } = await read()
    assert.deepEqual([parts.length, bytes], [2, 8])
  })
}

test('the files of a batch stay while it runs, and expire after their lifetime from its end on', async () => {
  const { deps, clock, begun, write, second, read } = createParts()
  const output = await write(begun)
  await clock.advance(20 * hourMs)
  assert.deepEqual(await deps.documents.takeExpired(9, options), [])
  const ended = second(await write(second(output)))
  assert.equal((await read()).parts.length, 2)
  await setFilesExpiry(deps, ended, options)
  const { name, expiresAt } = await read()
  assert.deepEqual([name, expiresAt], ['b_output.jsonl', clock.now() + hourMs])
})

test('a file that was deleted while its batch runs begins again with the next page', async () => {
  const { deps, begun, write, second, read } = createParts()
  const output = await write(begun)
  await deps.documents.remove({ kind: 'file', id: 'file-f', accountId: 'ada' }, options)
  const { parts } = await write(second(output))
  assert.deepEqual(
    (await read()).parts.map(({ key }) => key),
    parts.map(({ key }) => key),
  )
  assert.equal(parts.length, 1)
})

test('a batch whose file cannot be read for a while is checked again, and one whose bytes are lost fails', async () => {
  const { deps: parts, begun } = createParts()
  const batchWords = { readLine: (bytes: Buffer) => ({ customId: bytes.toString(), body: {} }) }
  const deps: BatchDependencies = { ...parts, ...({ batchWords, maxDocumentBytes: 1e9 } as unknown as BatchDependencies) }
  const content = (async function* () {
    yield Buffer.from('first\nsecond\n')
  })()
  const stored = await storeBytes(deps, { accountId: 'ada', content }, options)
  const input = await keepFile(deps, stored, { name: 'in.jsonl', purpose: 'batch', lifetimeMs: null }, options)
  const batch = { ...begun, status: 'validating', inputFileId: input.id, faults: [] } as unknown as Batch
  const failingWith = (error: Error) => ({ ...deps, outputs: { ...deps.outputs, open: () => Promise.reject(error) } })
  const away = new ServiceError('server_is_overloaded', 'The store of outputs did not respond in time; try again later.')
  await assert.rejects(validateBatch(failingWith(away), batch, options), away)
  const stopping = new DOMException('The node stops.', 'AbortError')
  await assert.rejects(validateBatch(failingWith(stopping), batch, options), stopping)
  assert.equal((await validateBatch(deps, batch, options)).status, 'in_progress')
  await deps.outputs.delete(
    input.parts.map(({ key }) => key),
    options,
  )
  assert.equal((await validateBatch(deps, batch, options)).status, 'failed')
})
