import assert from 'node:assert/strict'
import { cp, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { verifyModel } from './verify-model.ts'

const builtIn = fileURLToPath(new URL('../../models/sepia-mini-chat', import.meta.url))
const { signal } = new AbortController()

test('a complete model has no faults, and progress ends at all bytes', async () => {
  let last = ''
  const faults = await verifyModel(
    { folder: builtIn },
    { signal, onProgress: ({ bytesDone, bytesTotal }) => (last = `${bytesDone}/${bytesTotal}`) },
  )
  assert.deepEqual(faults, [])
  assert.equal(last, '7950048/7950048')
})

test('a single flipped bit is found', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-verify-'))
  context.after(() => rm(folder, { recursive: true }))
  await cp(builtIn, folder, { recursive: true })
  const file = await open(join(folder, 'model.gguf'), 'r+')
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: 4_000_000 })
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, 4_000_000)
  await file.close()
  const faults = await verifyModel({ folder }, { signal, onProgress: () => {} })
  assert.equal(faults.length, 1)
  assert.match(faults[0]?.message ?? '', /^is damaged: its SHA-256 is/)
})

test('a truncated GGUF file is found even if no list contains it', async () => {
  await using folder = await createTemporaryFolder()
  await cp(join(builtIn, 'model.gguf'), join(folder.path, 'chat.gguf'))
  await writeFile(join(folder.path, 'model.json'), JSON.stringify({ id: 'chat', kind: 'text', format: 'gguf', file: 'chat.gguf' }))
  const verify = () => verifyModel({ folder: folder.path }, { signal, onProgress: () => {} })
  assert.deepEqual(await verify(), [])
  await truncate(join(folder.path, 'chat.gguf'), 4_000_000)
  const [fault] = await verify()
  assert.match(fault?.message ?? '', /^is cut short: it has 4000000 bytes where its header promises \d+; copy it again\.$/)
})
