import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommandLine as run } from '../support/run-command-line.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

/** Why a program cannot run here, or false. */
const without = (program: string) => spawnSync(program, ['--version']).error !== undefined && `no ${program} here`

for (const shell of ['zsh', 'fish'])
  test(`the completion is a script that ${shell} accepts`, { skip: without(shell) }, async () => {
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, 'script')
    await writeFile(file, (await run(['completion', shell])).out)
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  })

test('man renders the manual page without a warning', { skip: without('groff') }, async () => {
  const { out } = await run(['manual'])
  const groff = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: out, encoding: 'utf8' })
  assert.deepEqual([groff.status, groff.stderr], [0, ''])
})
