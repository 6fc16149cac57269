import assert from 'node:assert/strict'
import { readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createTemporaryFolder, writeFiles } from '../../test/support/temporary-folder.ts'
import { findForeignModels, foreignFolders, linkForeignModel } from './foreign-models.ts'
import { removeModel } from './pulled-folder.ts'

const sum = (digit: string) => digit.repeat(64)

function manifest(...layers: readonly (readonly [kind: string, digest: string])[]): string {
  const config = { mediaType: 'application/vnd.docker.container.image.v1+json', digest: `sha256:${sum('c')}`, size: 1 }
  const listed = layers.map(([kind, digest]) => ({ mediaType: `application/vnd.ollama.image.${kind}`, digest, size: 4 }))
  return JSON.stringify({ schemaVersion: 2, config, layers: listed })
}

suite('the models of other programs', () => {
  test('Ollama models are found by the blob digests in their manifests', async () => {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, {
      'manifests/registry.ollama.ai/library/llama3.2/3b': manifest(['model', `sha256:${sum('a')}`], ['license', `sha256:${sum('b')}`]),
      'manifests/registry.ollama.ai/library/llava/latest': manifest(['model', `sha256:${sum('a')}`], ['projector', `sha256:${sum('d')}`]),
      'manifests/hf.co/Qwen/Qwen3-8B-GGUF/Q4_K_M': manifest(['model', `sha256:${sum('a')}`]),
      'manifests/registry.ollama.ai/library/gone/latest': manifest(['model', `sha256:${sum('e')}`]),
      'manifests/registry.ollama.ai/library/cloud/latest': manifest(['license', `sha256:${sum('b')}`]),
      'manifests/registry.ollama.ai/library/hostile/latest': manifest(['model', 'sha256:../../../../etc/passwd']),
      'manifests/registry.ollama.ai/library/broken/latest': '{"layers":',
      [`blobs/sha256-${sum('a')}`]: 'GGUF',
      [`blobs/sha256-${sum('d')}`]: 'GGUF',
    })
    const blob = (digit: string) => join(folder.path, 'blobs', `sha256-${sum(digit)}`)
    assert.deepEqual(await findForeignModels('ollama', folder.path), [
      {
        name: 'hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M',
        id: 'qwen3-8b-gguf-q4_k_m',
        bytes: 4,
        links: new Map([['qwen3-8b-gguf-q4_k_m.gguf', blob('a')]]),
      },
      { name: 'llama3.2:3b', id: 'llama3.2-3b', bytes: 4, links: new Map([['llama3.2-3b.gguf', blob('a')]]) },
      {
        name: 'llava:latest',
        id: 'llava',
        bytes: 4,
        links: new Map([
          ['llava.gguf', blob('a')],
          ['mmproj-llava.gguf', blob('d')],
        ]),
      },
    ])
  })

  test('LM Studio models are found by publisher and repository', async () => {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, {
      'bartowski/Gemma/gemma-Q4_0.gguf': 'GGUF',
      'bartowski/Gemma/mmproj-gemma-f16.gguf': 'GGUF',
      'big/Split/big-00001-of-00002.gguf': 'GG',
      'big/Split/big-00002-of-00002.gguf': 'UF',
      'big/Split/big-0.5b.gguf': 'GGUF',
      'big/Split/README.md': 'no model',
    })
    const found = (await findForeignModels('lmstudio', folder.path)) ?? []
    assert.deepEqual(
      found.map(({ name, id, bytes, links }) => [name, id, bytes, [...links.keys()]]),
      [
        ['bartowski/Gemma/gemma-Q4_0.gguf', 'gemma-q4_0', 4, ['gemma-q4_0.gguf', 'mmproj-gemma-q4_0.gguf']],
        ['big/Split/big-0.5b.gguf', 'big-0.5b', 4, ['big-0.5b.gguf']],
        ['big/Split/big-00001-of-00002.gguf', 'big', 4, ['big-00001-of-00002.gguf', 'big-00002-of-00002.gguf']],
      ],
    )
  })

  test('hub cache models are found in the snapshot of the main revision', async () => {
    await using folder = await createTemporaryFolder()
    const repository = 'models--Qwen--Qwen3-0.6B-GGUF'
    await writeFiles(folder.path, {
      [`${repository}/refs/main`]: 'bbbb',
      [`${repository}/blobs/one`]: 'GGUF',
      [`${repository}/snapshots/aaaa/old.gguf`]: 'GGUF',
      [`${repository}/snapshots/bbbb/README.md`]: '',
      'models--stabilityai--sdxl/refs/main': 'cccc',
      'models--stabilityai--sdxl/snapshots/cccc/model_index.json': '{}',
      'models--stabilityai--sdxl/snapshots/cccc/unet/weights.safetensors': 'x',
      'models--hostile--ref/refs/main': '../../../../etc',
      'models--hostile--ref/snapshots/.hidden': '',
      'datasets--a--b/refs/main': 'dddd',
    })
    await symlink(join('..', '..', 'blobs', 'one'), join(folder.path, repository, 'snapshots', 'bbbb', 'Qwen3-0.6B-Q8_0.gguf'))
    const found = (await findForeignModels('huggingface', folder.path)) ?? []
    assert.deepEqual(
      found.map(({ name, id, bytes }) => [name, id, bytes]),
      [
        ['Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf', 'qwen3-0.6b-q8_0', 4],
        ['stabilityai/sdxl', 'sdxl', 3],
      ],
    )
  })

  test('a model is linked and not copied', async () => {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, { 'theirs/a/b/c.gguf': 'GGUF' })
    const [model] = (await findForeignModels('lmstudio', join(folder.path, 'theirs'))) ?? []
    assert.ok(model)
    await linkForeignModel(model, join(folder.path, 'ours'))
    assert.equal(await readlink(join(folder.path, 'ours', 'c.gguf')), join(folder.path, 'theirs/a/b/c.gguf'))
    assert.equal(await readFile(join(folder.path, 'ours', 'c.gguf'), 'utf8'), 'GGUF')
  })

  test('removing a linked model removes all its files, and no other model of its folder', async () => {
    await using folder = await createTemporaryFolder()
    const ours = join(folder.path, 'ours')
    await writeFiles(folder.path, {
      'theirs/a/b/big-00001-of-00002.gguf': 'GG',
      'theirs/a/b/big-00002-of-00002.gguf': 'UF',
      'theirs/a/b/mmproj-big.gguf': 'GGUF',
      'ours/big-00001-of-00003.gguf': 'GGUF',
      'ours/other/model.json': '{}',
    })
    const [model] = (await findForeignModels('lmstudio', join(folder.path, 'theirs'))) ?? []
    assert.ok(model)
    await linkForeignModel(model, ours)
    const file = join(ours, 'big-00001-of-00002.gguf')
    const descriptor = { kind: 'text', file, folder: file } as const
    await removeModel(descriptor)
    assert.deepEqual(await readdir(ours), ['big-00001-of-00003.gguf', 'other'])
    assert.equal((await readdir(join(folder.path, 'theirs/a/b'))).length, 3)
  })

  test('a model that cannot be linked completely leaves nothing behind', async () => {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, { 'theirs/a/b/c.gguf': 'GGUF', 'theirs/a/b/mmproj-c.gguf': 'GGUF', 'ours/mmproj-c.gguf': 'GGUF' })
    const [model] = (await findForeignModels('lmstudio', join(folder.path, 'theirs'))) ?? []
    assert.ok(model)
    await assert.rejects(linkForeignModel(model, join(folder.path, 'ours')), { message: /mmproj-c\.gguf.*already exists; .*remove it/ })
    assert.deepEqual(await readdir(join(folder.path, 'ours')), ['mmproj-c.gguf'])
  })

  test('the folders follow the defaults and environment variables of the programs', async () => {
    assert.deepEqual(foreignFolders('ollama', { HOME: '/h', OLLAMA_MODELS: '/o' }), [
      '/o',
      '/h/.ollama/models',
      '/usr/share/ollama/.ollama/models',
    ])
    assert.deepEqual(foreignFolders('huggingface', { HOME: '/h', HF_HOME: '/f' }), ['/f/hub', '/h/.cache/huggingface/hub'])
    assert.equal(await findForeignModels('ollama', '/nothing/here'), null)
  })
})
