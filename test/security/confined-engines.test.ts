import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { ImageModelDescriptor, TextModelDescriptor } from '../../src/core/model.ts'
import { engineEnvironment } from '../../src/runtimes/process/confine/engine-environment.ts'
import { findConfinement } from '../../src/runtimes/process/confine/find-confinement.ts'
import { modelNeeds } from '../../src/runtimes/process/confine/model-needs.ts'
import { spawnEngine } from '../../src/runtimes/process/confine/spawn-engine.ts'
import { PictureInspector } from '../../src/runtimes/process/picture-inspector.ts'
import { questions, seeingChat, writeSeeingFiles } from '../support/model-files/seeing-models.ts'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const { signal } = new AbortController()
const entry = new URL('../support/engines/probing-engine.ts', import.meta.url)
const secrets = { SEPIA_DATABASE_URL: 'postgres://u:secret@db/x', AWS_SECRET_ACCESS_KEY: 's', NODE_OPTIONS: '--inspect', GITHUB_TOKEN: 't' }

suite('confined engines', () => {
  test('get only environment variables for libraries, drivers and temporary files', () => {
    const driver = { CUDA_VISIBLE_DEVICES: '0', VK_ICD_FILENAMES: 'x', LD_LIBRARY_PATH: '/usr/lib', OMP_NUM_THREADS: '2', Path: 'C:' }
    assert.deepEqual(engineEnvironment({ ...secrets, ...driver }), driver)
  })

  test('open no file except their code, and no network connection where the system supports it', async () => {
    await using folder = await createTemporaryFolder()
    const secret = join(folder.path, 'sepia.db')
    await writeFile(secret, 'secret')
    await using listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const confinement = await findConfinement({ environment: { ...process.env, ...secrets } })
    using inspector = new PictureInspector({ entry, confinement, clock: createSystemClock(), log: () => {} })
    const paths = [secret, '/etc/passwd', fileURLToPath(new URL('../../README.md', import.meta.url)), fileURLToPath(entry)]
    const { format } = await inspector.inspect(Buffer.from(JSON.stringify({ paths, pictures: [], port })), { signal })
    const { files, network, environment, threads } = JSON.parse(format)
    assert.deepEqual(files, ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'read'])
    const isOpen = confinement.closeNetwork === null && confinement.closeFiles === null
    assert.match(network, isOpen ? /^connected$/ : /^(?:ENETUNREACH|ECONNREFUSED)$/)
    for (const name of Object.keys(secrets)) assert.ok(!environment.includes(name), name)
    assert.deepEqual(threads, ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED'])
  })

  test('start the threads that they need at their start, and none later', async () => {
    const confinement = await findConfinement({ environment: process.env })
    const child = await spawnEngine(entry, { readable: [], memoryBytes: 2 * 1024 ** 3, environment: {}, opensThread: true }, confinement)
    child.send({ bytes: Buffer.from(JSON.stringify({ paths: [], pictures: [], port: 1 })), whiteAt: null })
    const [report] = await once(child, 'message')
    assert.deepEqual(JSON.parse(report.description.format).threads, ['opened', 'ERR_ACCESS_DENIED'])
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })

  test('cannot open a picture from native code either under bubblewrap', async (context) => {
    const confinement = await findConfinement({ environment: process.env })
    if (confinement.closeFiles === null) return context.skip('bubblewrap is not installed, or may make no namespaces')
    await using folder = await createTemporaryFolder()
    const [secret, linked, model] = ['secret.png', 'linked.png', 'model'].map((name) => join(folder.path, name)) as [string, string, string]
    const pixel = { create: { width: 1, height: 1, channels: 3, background: 'red' } } as const
    for (const path of [secret, linked]) await sharp(pixel).png().toFile(path)
    await mkdir(model)
    await symlink(linked, join(model, 'link.png'))
    const needs = { readable: [model], memoryBytes: 2 * 1024 ** 3, environment: {} }
    const child = await spawnEngine(entry, needs, confinement)
    const pictures = [secret, linked, join(model, 'link.png')]
    child.send({ bytes: Buffer.from(JSON.stringify({ paths: [], pictures, port: 1 })), whiteAt: null })
    const [report] = await once(child, 'message')
    assert.deepEqual(JSON.parse(report.description.format).pictures, ['failed', 'read', 'read'])
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })

  test('read only the files of their own model', () => {
    const text = {
      kind: 'text',
      folder: '/m/a',
      file: '/m/a/a.gguf',
      speculative: { method: 'draft-model', file: '/m/b/b.gguf' },
    } as TextModelDescriptor
    const image = { kind: 'image', folder: '/m/c', refiner: '/m/d', checkpoint: { weights: '/m/e' } } as ImageModelDescriptor
    const readable = (model: TextModelDescriptor | ImageModelDescriptor) =>
      modelNeeds(model, { gpu: 'off', threads: 1, memoryBytes: 1 }).readable
    assert.deepEqual(
      [readable(text), readable(image)],
      [
        ['/m/a', '/m/a/a.gguf', '/m/b/b.gguf'],
        ['/m/c', '/m/d', '/m/e'],
      ],
    )
  })

  test('a vision model and both built-in models answer, and an uploaded picture is read, in confined engines', {
    timeout: 300_000,
  }, async () => {
    await using folder = await createTemporaryFolder()
    const models = join(folder.path, 'models')
    await mkdir(join(models, 'seeing'), { recursive: true })
    await writeSeeingFiles(join(models, 'seeing'), 'mlp')
    await using service = await startService(join(folder.path, 'data'), '--models', models, '--memory', '2gb')
    const token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
    const ask = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    const chat = await ask('/v1/chat/completions', { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 })
    assert.equal(chat.status, 200)
    const seen = await ask('/v1/chat/completions', { model: 'mlp', ...(await seeingChat(questions[0])) })
    assert.equal(seen.status, 200, await seen.text())
    const drawn = await ask('/generate/sdxl', { prompt: 'a tiger', steps: 2 })
    assert.equal(drawn.status, 200)
    const picture = JSON.parse(await drawn.text()).images[0].image_b64
    assert.equal((await ask('/generate/sdxl', { prompt: 'a tiger', steps: 4, init_image: picture })).status, 200)
    const damaged = await ask('/generate/sdxl', { prompt: 'a tiger', steps: 4, init_image: picture.slice(0, 400) })
    assert.equal(damaged.status, 422)
  })
})
