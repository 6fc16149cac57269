import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { makeBodyKey, openBodyKeys } from './open-body-keys.ts'

test('a first key is created if allowed, stored, and readable only by its owner', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/keys`
  const keys = await openBodyKeys({ file, mayBegin: true })
  assert.equal(keys.current(), null)
  await keys.begin()
  const first = keys.current()
  await keys.begin()
  assert.deepEqual(keys.current(), first)
  assert.equal(first?.secret.length, 32)
  assert.equal((await stat(file)).mode & 0o077, 0)
  assert.deepEqual((await openBodyKeys({ file, mayBegin: false })).current(), first)
})

test('no key is created if keys come from elsewhere', async () => {
  await using folder = await createTemporaryFolder()
  const keys = await openBodyKeys({ file: `${folder.path}/keys`, mayBegin: false })
  await keys.begin()
  assert.equal(keys.current(), null)
})

test('an added key is used as soon as it is read, and the older one stays', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/keys`
  await writeFile(file, `# the operator's\n\nold ${Buffer.alloc(32, 1).toString('base64')}`)
  const keys = await openBodyKeys({ file, mayBegin: false })
  assert.equal(keys.current()?.id, 'old')
  const added = await makeBodyKey(file)
  assert.equal(keys.current()?.id, 'old')
  await keys.refresh()
  assert.equal(keys.current()?.id, added.id)
  assert.deepEqual(keys.find('old')?.secret, Buffer.alloc(32, 1))
  assert.equal(keys.find('nobody'), null)
  assert.match(await readFile(file, 'utf8'), /^# the operator's/)
})

for (const written of ['short YWJj', 'no-secret', `two words ${'A'.repeat(43)}=`, `a ${'A'.repeat(44)}`])
  test(`a line that is not a key is named: ${written.slice(0, 20)}`, async () => {
    await using folder = await createTemporaryFolder()
    await writeFile(`${folder.path}/keys`, `\n${written}\n`)
    await assert.rejects(openBodyKeys({ file: `${folder.path}/keys`, mayBegin: true }), /Line 2 of .* is not a key/)
    await assert.rejects(makeBodyKey(`${folder.path}/keys`), /is not a key/)
  })

test('a folder in the place of the file is named, with the fix', async () => {
  await using folder = await createTemporaryFolder()
  await assert.rejects(openBodyKeys({ file: folder.path, mayBegin: true }), {
    message: `${folder.path} is a folder instead of a file; move it away.`,
  })
})
