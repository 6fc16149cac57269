import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openAssetFiles } from './open-asset-files.ts'

const id = `asset_${'a'.repeat(32)}`
const { signal } = new AbortController()
const options = { from: 0, mayGrowTo: () => undefined, signal }

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

test('bytes received before a broken connection are kept, and the rest is appended', async () => {
  await using folder = await createTemporaryFolder()
  const files = openAssetFiles({ folder: join(folder.path, 'assets') })
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* pieces('abc')
    throw new Error('the connection broke')
  }
  await assert.rejects(files.receive(id, broken(), options), /broke/)
  await assert.rejects(files.receive(id, pieces('x'), { ...options, from: 2 }), /Continue at byte 3/)
  assert.equal(await files.receive(id, pieces('de', 'f'), { ...options, from: 3 }), 6)
  await files.accept(id)
  await files.accept(id)
  const opened = await files.open(id, 'weights', { signal })
  assert.equal(Buffer.concat(await Array.fromAsync(opened?.pieces ?? [])).toString(), 'abcdef')
  await files.remove(id)
  assert.equal(await files.received(id), null)
})

test('an upload that no longer fits is never reported as stored', async () => {
  await using folder = await createTemporaryFolder()
  // Beyond the limit, the system writes a part of a piece and reports how much.
  const receiver = `
    import { openAssetFiles } from ${JSON.stringify(new URL('./open-asset-files.ts', import.meta.url).href)}
    process.on('SIGXFSZ', () => {})
    const files = openAssetFiles({ folder: ${JSON.stringify(folder.path)} })
    const options = { from: 0, mayGrowTo: () => {}, signal: new AbortController().signal }
    const stored = await files.receive(${JSON.stringify(id)}, [Buffer.alloc(3000)], options).catch(({ code }) => code)
    process.stdout.write(String(stored))`
  const shell = ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', receiver]
  const { stdout, stderr } = spawnSync('sh', shell, { encoding: 'utf8' })
  assert.equal(stdout, 'server_is_overloaded', stderr)
})

test('an upload that starts over drops the one before', async () => {
  await using folder = await createTemporaryFolder()
  const files = openAssetFiles({ folder: folder.path })
  await files.receive(id, pieces('abcdef'), options)
  assert.equal(await files.receive(id, pieces('xy'), options), 2)
  assert.equal((await files.received(id))?.bytes, 2)
})

test('a folder that is not writable is reported as such', async () => {
  await using folder = await createTemporaryFolder()
  const inTheWay = join(folder.path, 'file')
  await writeFile(inTheWay, '')
  const files = openAssetFiles({ folder: join(inTheWay, 'assets') })
  const refusal = { code: 'server_is_overloaded', message: /cannot be written/ }
  await assert.rejects(files.receive(id, pieces('a'), options), refusal)
  await assert.rejects(files.putPicture(id, Buffer.from('a')), refusal)
})

test('a picture that cannot be stored leaves nothing', async () => {
  await using folder = await createTemporaryFolder()
  const files = openAssetFiles({ folder: folder.path })
  const inTheWay = `${id}.picture`
  await mkdir(join(folder.path, inTheWay))
  await assert.rejects(files.putPicture(id, Buffer.from('a')))
  assert.deepEqual(await readdir(folder.path), [inTheWay])
})

test('a replaced picture has another version, without reading its content', async () => {
  await using folder = await createTemporaryFolder()
  const files = openAssetFiles({ folder: folder.path })
  const versionOf = async () => (await files.open(id, 'picture', { signal }))?.version
  await files.putPicture(id, Buffer.from('red'))
  const red = await versionOf()
  assert.equal(await versionOf(), red)
  await files.putPicture(id, Buffer.from('sun'))
  assert.notEqual(await versionOf(), red)
})

test('only valid ids become paths', async () => {
  const files = openAssetFiles({ folder: '/nowhere' })
  assert.throws(() => files.path('asset_../../etc/passwd'), /id is not valid/)
})
