import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { zip } from './zip.ts'

test('another program extracts the files of an archive unchanged', {
  skip: spawnSync('python3', ['--version']).error !== undefined && 'there is no python3 here',
}, async () => {
  await using folder = await createTemporaryFolder()
  const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 251)
  const archive = zip([
    { name: 'ü 1.png', bytes },
    { name: 'empty.png', bytes: new Uint8Array() },
  ])
  writeFileSync(`${folder.path}/a.zip`, new Uint8Array(await archive.arrayBuffer()))
  const script =
    'import sys, zipfile, hashlib\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint([(i.filename, i.file_size) for i in z.infolist()])'
  const printed = execFileSync('python3', ['-c', script, `${folder.path}/a.zip`], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf8' },
  })
  assert.equal(printed.trim(), "[('ü 1.png', 70000), ('empty.png', 0)]")
})
