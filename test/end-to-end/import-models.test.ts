import assert from 'node:assert/strict'
import { mkdir, readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { sepiaIn } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const weights = fileURLToPath(new URL('../../models/smollm2-135m-instruct/model.gguf', import.meta.url))

test('a model of Ollama is listed, used in place, and removed without its file', async () => {
  await using folder = await createTemporaryFolder()
  const theirs = join(folder.path, '.ollama', 'models')
  const blob = join(theirs, 'blobs', `sha256-${'a'.repeat(64)}`)
  const manifests = join(theirs, 'manifests', 'registry.ollama.ai', 'library', 'smollm2')
  for (const path of [join(theirs, 'blobs'), manifests]) await mkdir(path, { recursive: true })
  await symlink(weights, blob)
  const layers = [{ mediaType: 'application/vnd.ollama.image.model', digest: `sha256:${'a'.repeat(64)}`, size: 1 }]
  await writeFile(join(manifests, '135m'), JSON.stringify({ schemaVersion: 2, layers }))
  const data = join(folder.path, 'data')
  const run = (...argv: readonly string[]) => sepiaIn({ HOME: folder.path, OLLAMA_MODELS: '' }, 'model', ...argv, '--data', data)

  assert.match((await run('import', 'ollama')).out, /^smollm2:135m +smollm2-135m +\d+.*$/m)
  await assert.rejects(readdir(join(data, 'models')), 'listing changes nothing')
  const unknown = await run('import', 'ollama', '--register', 'nothing')
  assert.deepEqual([unknown.code, /without --register/.test(unknown.err)], [2, true])
  assert.match((await run('import', 'ollama', '--register', 'smollm2:135m')).out, /^Registered smollm2-135m; the files stay in /)
  const link = join(data, 'models', 'smollm2-135m.gguf')
  assert.equal(await readlink(link), blob)
  assert.match((await run('list')).out, /^smollm2-135m +text /m)
  assert.match((await run('import', 'ollama', '--register', 'smollm2-135m')).err, /installed already/)
  assert.match((await run('import', 'ollama', '--register', 'all')).out, /registered already/)
  await mkdir(join(data, 'models', 'other'))
  assert.equal((await run('remove', 'smollm2-135m', '--yes')).code, 0)
  assert.deepEqual(await readdir(join(data, 'models')), ['other'])
  assert.equal(await readlink(blob), weights)
})

test('single-file image models are found in the hub cache, used in place, and removed without their files', async () => {
  await using folder = await createTemporaryFolder()
  const cached = join(folder.path, 'hub', 'models--someone--Models')
  const blobs = join(cached, 'blobs')
  await unpackGoldenCheckpoints(blobs, (path) => /^(?:xl|lora-peft)\.safetensors$/.test(path))
  await unpackGoldenCheckpoints(blobs, (path) => path === 'diffusion_models/flux1-schnell.safetensors', 'transformers')
  const snapshot = join(cached, 'snapshots', 'abc')
  await mkdir(snapshot, { recursive: true })
  for (const blob of ['xl.safetensors', 'lora-peft.safetensors', 'diffusion_models/flux1-schnell.safetensors'])
    await symlink(join(blobs, blob), join(snapshot, basename(blob)))
  const data = join(folder.path, 'data')
  const parts = /^(?:tokenizers\/|(?:text_encoders\/(?:clip_l|t5xxl_fp16)|vae\/ae)\.safetensors$)/
  await unpackGoldenCheckpoints(join(data, 'models'), (path) => parts.test(path), 'transformers')
  const run = (...argv: readonly string[]) =>
    sepiaIn({ HOME: folder.path, HF_HUB_CACHE: join(folder.path, 'hub') }, 'model', ...argv, '--data', data)

  const listed = (await run('import', 'huggingface')).out
  assert.match(listed, /^someone\/Models\/xl\.safetensors +xl /m)
  assert.match(listed, /^someone\/Models\/flux1-schnell\.safetensors +flux1-schnell /m)
  assert.doesNotMatch(listed, /lora-peft/)
  assert.match((await run('import', 'huggingface', '--register', 'all')).out, /^Registered flux1-schnell/m)
  for (const model of ['xl', 'flux1-schnell']) {
    assert.match((await run('list')).out, new RegExp(`^${model} +image `, 'm'))
    assert.equal((await run('remove', model, '--yes')).code, 0)
  }
  assert.deepEqual(await readdir(join(data, 'models')), ['text_encoders', 'tokenizers', 'vae'])
  assert.deepEqual(await readdir(snapshot), ['flux1-schnell.safetensors', 'lora-peft.safetensors', 'xl.safetensors'])
  assert.ok((await stat(join(snapshot, 'xl.safetensors'))).size > 1e6)
})

test('a registered model that cannot be used is removed by name', async () => {
  await using folder = await createTemporaryFolder()
  const theirs = join(folder.path, 'theirs')
  await unpackGoldenCheckpoints(theirs, (path) => path === 'diffusion_models/flux1-schnell.safetensors', 'transformers')
  const flux = join(theirs, 'diffusion_models', 'flux1-schnell.safetensors')
  await writeFile(join(theirs, 'cut.gguf'), 'GGUF')
  const data = join(folder.path, 'data')
  const ours = join(data, 'models')
  await mkdir(join(ours, 'unfinished'), { recursive: true })
  await mkdir(join(ours, 'other'))
  await symlink(flux, join(ours, 'flux.safetensors'))
  await symlink(join(theirs, 'cut.gguf'), join(ours, 'cut.gguf'))
  await symlink(join(theirs, 'gone.gguf'), join(ours, 'gone.gguf'))
  await writeFile(
    join(ours, 'unfinished', 'model.json'),
    JSON.stringify({ id: 'unfinished', kind: 'text', format: 'gguf', file: 'x.gguf' }),
  )
  for (const model of ['flux', 'cut', 'gone', 'unfinished']) {
    const { code, out, err } = await sepiaIn({}, 'model', 'remove', model, '--yes', '--data', data)
    assert.deepEqual([code, out], [0, `Removed ${model}.\n`], err)
  }
  assert.deepEqual(await readdir(ours), ['other'])
  assert.ok((await stat(flux)).size > 1e5)
  assert.match((await sepiaIn({}, 'model', 'remove', 'flux', '--yes', '--data', data)).err, /No model flux was pulled/)
})

test('several models are registered together or not at all', async () => {
  await using folder = await createTemporaryFolder()
  const theirs = join(folder.path, 'theirs')
  const ours = join(folder.path, 'data', 'models')
  for (const path of [join(theirs, 'a', 'b'), ours]) await mkdir(path, { recursive: true })
  for (const name of ['one.gguf', 'two.gguf']) await symlink(weights, join(theirs, 'a', 'b', name))
  await symlink('/nothing/here', join(ours, 'two.gguf'))
  const given = ['lmstudio', '--folder', theirs, '--register', 'all', '--data', join(folder.path, 'data')]
  const { code, err } = await sepiaIn({ HOME: folder.path }, 'model', 'import', ...given)
  assert.notEqual(code, 0)
  assert.match(err, /two\.gguf already exists; rename it/)
  assert.deepEqual(await readdir(ours), ['two.gguf'])
})

test('an unknown program or a path that is not a folder is rejected with the accepted values', async () => {
  await using folder = await createTemporaryFolder()
  const run = (...argv: readonly string[]) => sepiaIn({ HOME: folder.path }, 'model', 'import', ...argv, '--data', folder.path)
  assert.match((await run('llama')).err, /expected one of ollama, lmstudio, huggingface/)
  assert.match((await run('lmstudio')).err, /there is no folder .*lm-studio.*; name the folder/)
  assert.match((await run('lmstudio', '--folder', '/nothing/here')).err, /there is no folder \/nothing\/here/)
})
