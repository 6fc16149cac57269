import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { ServiceError } from '../../core/error.ts'
import type { Batch } from '../../core/files/batch.ts'
import { findFile } from '../../operations/files/file-documents.ts'
import { keepFile, readFile, storeBytes } from '../../operations/files/kept-files.ts'
import type { BatchDependencies } from './batch-pages.ts'
import { runPage } from './run-page.ts'

const options = { signal: new AbortController().signal }

/** A batch whose two lines have run, with their outputs stored. */
async function createParts() {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const store = async (id: string) =>
    outputs.put({ inferenceId: id, attempt: 1 }, { contentType: 'application/json', chunks: [Buffer.from(`"${id}"`)] }, options)
  const answers = { one: await store('one'), two: await store('two') }
  const log = {
    find: async (id: keyof typeof answers) => ({ id, status: 'completed', outcome: 'succeeded', output: answers[id], error: null }),
  }
  const batchWords = {
    readLine: (bytes: Buffer) => ({ customId: bytes.toString(), body: {} }),
    encodeAnswer: (_body: unknown, _endpoint: string, output: Buffer) => output,
    encodeFailure: ({ code }: { readonly code: string }) => ({ status: 500, body: { code } }),
  }
  const deps = { documents, outputs, clock, log, batchWords, maxDocumentBytes: 1e9 } as unknown as BatchDependencies
  const content = (async function* () {
    yield Buffer.from('first\nsecond\n')
  })()
  const stored = await storeBytes(deps, { accountId: 'ada', content }, options)
  const input = await keepFile(deps, stored, { name: 'in.jsonl', purpose: 'batch', lifetimeMs: null }, options)
  const batch = {
    ...{
      id: 'batch_b',
      accountId: 'ada',
      inputFileId: input.id,
      place: { offset: 0, page: 1 },
      running: ['one', 'two'],
      refused: [null, null],
    },
    ...{ output: { uuid: 'o', bytes: 0, parts: [] }, errors: { uuid: 'e', bytes: 0, parts: [] } },
    ...{ counts: { total: 2, completed: 0, failed: 0 }, expiresAt: clock.now() + 1000, createdAt: clock.now(), filesLifetimeMs: 1000 },
  } as unknown as Batch
  const read = async (uuid: string) => {
    const file = await findFile(deps, { accountId: 'ada', id: `file-${uuid}` }, options)
    const text = Buffer.concat(await Array.fromAsync(readFile(deps, file, options))).toString()
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  return { deps, batch, input, answers, read }
}

test('a line whose stored output is lost becomes an error, and the batch goes on', async () => {
  const { deps, batch, answers, read } = await createParts()
  await deps.outputs.delete([answers.one.key], options)
  const next = await runPage(deps, batch, null, options)
  assert.deepEqual([next.counts, next.place.page, next.running], [{ total: 2, completed: 1, failed: 1 }, 2, []])
  const [answered] = await read('o')
  assert.deepEqual([answered.custom_id, answered.response.body], ['second', 'two'])
  const [lost] = await read('e')
  assert.deepEqual([lost.custom_id, lost.response.status_code, lost.response.body], ['first', 500, { code: 'internal_error' }])
})

test('a page waits for a store of outputs that does not respond', async () => {
  const { deps, batch } = await createParts()
  const open: typeof deps.outputs.open = async (reference, more) => {
    if (reference.contentType === 'application/octet-stream') return deps.outputs.open(reference, more)
    throw new ServiceError('server_is_overloaded', 'The store of outputs did not respond in time; try again later.')
  }
  const away = { ...deps, outputs: { ...deps.outputs, open } }
  await assert.rejects(runPage(away, batch, null, options), { code: 'server_is_overloaded' })
  assert.equal((await runPage(deps, batch, null, options)).counts.completed, 2)
})

test('a page whose input lost its bytes is reported like one without its file, so that its batch ends', async () => {
  const { deps, batch, input } = await createParts()
  await deps.outputs.delete(
    input.parts.map(({ key }) => key),
    options,
  )
  await assert.rejects(runPage(deps, batch, null, options), { code: 'not_found' })
})
