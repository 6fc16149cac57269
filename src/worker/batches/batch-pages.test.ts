import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { Batch } from '../../core/files/batch.ts'
import { findFile } from '../../operations/files/file-documents.ts'
import { type BatchDependencies, writePage } from './batch-pages.ts'

const options = { signal: new AbortController().signal }

for (const when of ['before', 'while'] as const) {
  test(`a page that another node appended ${when} a slower one writes the page before stays in the file`, async () => {
    const clock = createTestClock()
    const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
    const deps = { documents, outputs: createMemoryOutputs({ clock }), clock } as unknown as BatchDependencies
    const file = { uuid: 'f', bytes: 0, parts: [] }
    const place = { offset: 0, page: 0 }
    const begun = { id: 'b', accountId: 'ada', output: file, errors: file, place, createdAt: 0, filesLifetimeMs: 1000 } as unknown as Batch
    const write = (batch: Batch, given = deps) => writePage(given, batch, { which: 'output', lines: [Buffer.from('one\n')] }, options)
    const appendTwo = async () => {
      const output = await write(begun)
      await write({ ...begun, output, place: { offset: 4, page: 1 } })
    }
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
    const { parts, bytes } = await findFile({ documents }, { accountId: 'ada', id: 'file-f' }, options)
    assert.deepEqual([parts.length, bytes], [2, 8])
  })
}
