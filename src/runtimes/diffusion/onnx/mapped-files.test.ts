import assert from 'node:assert/strict'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { test } from 'node:test'
import koffi from 'koffi'
import { residentBytes } from '../../../../test/support/memory/resident-bytes.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { MappedFiles } from './mapped-files.ts'

const content = Buffer.alloc(1 << 20, 7)

/** Maps a file as the tensor runtime does. @returns A function that reads all of it. */
async function mapFile(path: string): Promise<() => Buffer> {
  const mmap = koffi.load(null).func('void *mmap(void *address, size_t length, int protection, int flags, int descriptor, int64_t offset)')
  const [readAndWrite, isPrivate] = [3, 2]
  await using file = await open(path, 'r')
  const address = mmap(null, content.length, readAndWrite, isPrivate, file.fd, 0)
  return () => Buffer.from(koffi.decode(address, koffi.array('uint8_t', content.length, 'Typed')))
}

test('weights leave memory, unchanged, when another part of the model runs', { skip: platform !== 'linux' }, async () => {
  await using folder = await createTemporaryFolder()
  const [listed, other] = [join(folder.path, 'a.safetensors'), join(folder.path, 'b.safetensors')]
  for (const path of [listed, other]) await writeFile(path, content)
  const [readListed, readOther] = [await mapFile(listed), await mapFile(other)]
  readOther()
  const mapped = new MappedFiles()
  mapped.add([listed])
  const before: number[] = []
  const run = async () => {
    before.push(await residentBytes(listed))
    assert.deepEqual(readListed(), content)
    return {}
  }
  const partOf = (name: string) => mapped.sessionOf(name, { inputMetadata: [], outputMetadata: [], run, release: async () => undefined })
  const [steps, vae] = [partOf('steps'), partOf('vae')]
  for (const session of [steps, steps, vae, steps]) await session.run({}, [])
  assert.deepEqual(
    before.map((bytes) => bytes > 0),
    [false, true, false, false],
  )
  assert.ok((await residentBytes(other)) > 0)
})
