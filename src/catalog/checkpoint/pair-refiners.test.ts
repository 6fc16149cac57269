import assert from 'node:assert/strict'
import { mkdir, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../test/support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openCatalog } from '../refreshable-catalog.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = join(temporary.path, 'models')
await unpackGoldenCheckpoints(folder, (path) => ['xl.safetensors', 'refiner.safetensors', 'sd15.safetensors'].includes(path))

async function image(id: string) {
  const found = (await openCatalog({ folders: [folder] })).find(id)
  assert.ok(found?.kind === 'image', id)
  return found
}

test('a refiner beside an SDXL checkpoint is paired with it by name, and its size is included', async () => {
  const before = await image('xl')
  assert.equal(before.refiner, null, 'a refiner is not paired with every model')
  for (const [base, refiner] of [
    ['sd_xl_base_1.0', 'sd_xl_refiner_1.0'],
    ['mine', 'mine-refiner'],
  ]) {
    const [own, other] = [join(folder, `${base}.safetensors`), join(folder, `${refiner}.safetensors`)]
    await rename(join(folder, 'xl.safetensors'), own)
    await rename(join(folder, 'refiner.safetensors'), other)
    const paired = await image(base ?? '')
    assert.equal(paired.refiner, other)
    assert.equal(paired.bytes, before.bytes + (await stat(other)).size)
    assert.equal((await image(refiner ?? '')).refiner, null)
    await rename(own, join(folder, 'xl.safetensors'))
    await rename(other, join(folder, 'refiner.safetensors'))
  }
})

test('a model.json may name another refiner, whose size is included; other families have no refiner', async () => {
  const own = join(folder, 'described')
  await mkdir(own)
  await writeFile(
    join(own, 'model.json'),
    '{"id":"described","kind":"image","format":"safetensors","file":"xl.safetensors","refiner":"../refiner.safetensors"}',
  )
  await rename(join(folder, 'xl.safetensors'), join(own, 'xl.safetensors'))
  const described = await image('described')
  assert.equal(described.refiner, join(folder, 'refiner.safetensors'))
  assert.ok(described.bytes > (await stat(join(own, 'xl.safetensors'))).size)
  await rename(join(folder, 'refiner.safetensors'), join(folder, 'sd15-refiner.safetensors'))
  await rename(join(own, 'xl.safetensors'), join(own, 'x.safetensors'))
  await writeFile(join(own, 'model.json'), '{"id":"described","kind":"image","format":"safetensors","file":"x.safetensors"}')
  assert.equal((await image('sd15')).refiner, null)
})

test('links that lead out of a folder in diffusers’ layout are reported', async () => {
  const models = join(temporary.path, 'linked')
  const outside = join(temporary.path, 'outside.safetensors')
  await unpackGoldenCheckpoints(models, (path) => path.startsWith('xl-diffusers/'))
  const weights = join(models, 'xl-diffusers/unet/diffusion_pytorch_model.safetensors')
  await rename(weights, outside)
  const inside = join(models, 'xl-diffusers/unet-weights.safetensors')
  for (const [target, leads] of [
    ['../../../outside.safetensors', 'out'],
    ['/nowhere/at/all', 'nowhere'],
    ['../unet-weights.safetensors', 'inside'],
  ] as const) {
    await symlink(target, weights)
    if (leads === 'inside') await rename(outside, inside)
    if (leads !== 'nowhere') {
      assert.equal((await openCatalog({ folders: [models] })).find('xl-diffusers')?.kind, 'image')
      if (leads === 'out') await rename(weights, join(temporary.path, 'gone-out'))
      continue
    }
    const { faults } = await openCatalog({ folders: [models] })
    assert.deepEqual(faults, [{ file: weights, field: '', message: 'is a broken link; replace it with the file.' }])
    await rename(weights, join(temporary.path, `gone-${target.length}`))
  }
})
