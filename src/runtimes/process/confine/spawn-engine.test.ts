import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { PictureInspector } from '../picture-inspector.ts'
import type { Confinement } from './confinement.ts'
import { findConfinement } from './find-confinement.ts'
import { spawnEngine } from './spawn-engine.ts'

const { signal } = new AbortController()
const entry = new URL('../../../../test/support/engines/probing-engine.ts', import.meta.url)
const needs = { readable: [], memoryBytes: 2 * 1024 ** 3, environment: {} }
const overloaded = { code: 'server_is_overloaded', isNotStarted: true }

suite('starting engines', () => {
  test('a command that cannot be started does not crash the service', async () => {
    const confinement: Confinement = {
      environment: {},
      closeNetwork: ['/nowhere/unshare'],
      closeFiles: null,
      limitMemory: null,
      codeFolders: null,
    }
    await assert.rejects(spawnEngine(entry, needs, confinement), overloaded)
  })

  test('without a free file descriptor the request is rejected, and the next one is served', async (context) => {
    if (!existsSync('/proc/self/fd')) return context.skip('only Linux tells which descriptors are open')
    const before = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? ''
    const restore = spawn('sh', ['-c', `read line; prlimit --pid ${process.pid} --nofile=${before}:`], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    await once(restore, 'spawn')
    using inspector = new PictureInspector({ entry, confinement: null, clock: createTestClock(), log: () => {} })
    const picture = Buffer.from(JSON.stringify({ paths: [], pictures: [], port: 1 }))
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=3:'])
    await assert.rejects(spawnEngine(entry, needs, null), overloaded)
    await assert.rejects(inspector.inspect(picture, { signal }), overloaded)
    restore.stdin.end('\n')
    await once(restore, 'exit')
    assert.ok((await inspector.inspect(picture, { signal })).format.length > 0)
  })

  test('an engine can read whether its memory may use huge pages', async (context) => {
    const setting = '/sys/kernel/mm/transparent_hugepage/enabled'
    const { closeFiles } = await findConfinement({ environment: process.env })
    if (closeFiles === null) return context.skip('bubblewrap is not installed, or may make no namespaces')
    const [command = '', ...words] = [...closeFiles, '--', 'sh', '-c', `cat ${setting} || true`]
    const outside = existsSync(setting) ? readFileSync(setting, 'utf8') : ''
    assert.equal(execFileSync(command, words, { encoding: 'utf8' }), outside)
  })

  test('a model in a visible folder is read through chained links', async (context) => {
    const confinement = await findConfinement({ environment: process.env })
    if (confinement.closeFiles === null) return context.skip('bubblewrap is not installed, or may make no namespaces')
    await using folder = await createTemporaryFolder()
    const [model, blobs] = [join(folder.path, 'model'), join(folder.path, 'blobs')]
    await Promise.all([mkdir(model), mkdir(blobs)])
    await writeFile(join(blobs, 'abc'), 'weights')
    await symlink(join(blobs, 'abc'), join(blobs, 'current'))
    await symlink('../blobs/current', join(model, 'x.gguf'))
    const file = join(model, 'x.gguf')
    const child = await spawnEngine(entry, { ...needs, readable: [model, file] }, confinement)
    child.send({ bytes: Buffer.from(JSON.stringify({ paths: [file], pictures: [], port: 1 })), whiteAt: null })
    const [report] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    assert.deepEqual(JSON.parse(report.description.format).files, ['read'])
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })

  test('a model whose folder is a link in a visible folder is read', async (context) => {
    const confinement = await findConfinement({ environment: process.env })
    if (confinement.closeFiles === null) return context.skip('bubblewrap is not installed, or may make no namespaces')
    await using folder = await createTemporaryFolder()
    const [kept, models] = [join(folder.path, 'kept'), join(folder.path, 'models')]
    const model = join(models, 'model')
    await Promise.all([mkdir(kept), mkdir(models)])
    await writeFile(join(kept, 'x.gguf'), 'weights')
    await symlink(kept, model)
    const file = join(model, 'x.gguf')
    const child = await spawnEngine(entry, { ...needs, readable: [model, file, models] }, confinement)
    child.send({ bytes: Buffer.from(JSON.stringify({ paths: [file], pictures: [], port: 1 })), whiteAt: null }, () => {})
    const [report] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    assert.deepEqual(JSON.parse(Object(report).description?.format ?? '{}').files, ['read'])
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
})
