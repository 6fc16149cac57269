import assert from 'node:assert/strict'
import { cp, readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { findBuild } from './llama-builds.ts'
import { expectedDefaults, llamaVersion } from './llama-layout.ts'
import { openLibrary } from './llama-library.ts'

const { folder = '' } = (await findBuild('processor')) ?? {}

test('the installed llama.cpp has the expected version and layouts', async () => {
  const { functions, gpus, processorFunction } = await openLibrary(folder)
  assert.match(functions.llama_print_system_info(), /CPU/)
  assert.deepEqual(gpus(), [])
  assert.notEqual(processorFunction('ggml_threadpool_new'), null)
  assert.equal(processorFunction('no_such_function'), null)
})

test('another version is rejected with both versions, before any function is called that may have changed', async () => {
  await assert.rejects(openLibrary(folder, { version: '0.6.0', defaults: expectedDefaults }), {
    code: 'inference_failed',
    message: `The installed llama.cpp is version ${llamaVersion}, but this version of Sepia requires 0.6.0; run npm ci.`,
  })
})

test('an unexpected default is rejected by name', async () => {
  const { model, context } = expectedDefaults
  for (const [defaults, difference] of [
    [{ model, context: { ...context, n_ubatch: 1024 } }, 'its n_ubatch is 512 instead of 1024'],
    [{ model: { ...model, use_extra_bufts: false }, context }, 'its use_extra_bufts is true instead of false'],
  ] as const)
    await assert.rejects(openLibrary(folder, { version: llamaVersion, defaults }), {
      code: 'inference_failed',
      message: `The installed llama.cpp is version ${llamaVersion} (${difference}), but this version of Sepia requires ${llamaVersion}; run npm ci.`,
    })
})

test('a folder without the libraries is rejected', async () => {
  await assert.rejects(openLibrary(import.meta.dirname), { code: 'inference_failed', message: /is version unknown/ })
})

test('a library that is cut short is rejected by name before it is loaded', { skip: platform !== 'linux' }, async () => {
  await using temporary = await createTemporaryFolder()
  const copy = join(temporary.path, 'build')
  await cp(folder, copy, { recursive: true, dereference: true })
  const name = (await readdir(copy)).find((file) => file.startsWith('libllama.')) ?? ''
  const { size } = await stat(join(copy, name))
  for (const length of [size - 1, Math.floor(size / 2), 32, 0]) {
    await truncate(join(copy, name), length)
    await assert.rejects(openLibrary(copy), {
      code: 'inference_failed',
      message: `llama.cpp's file ${name} is cut short; delete node_modules and run npm ci.`,
    })
  }
})
