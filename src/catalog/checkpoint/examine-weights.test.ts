import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type EsrganMake, esrganFile } from '../../../test/support/model-files/esrgan-file.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { examineWeights } from './examine-weights.ts'

const makes: readonly (readonly [EsrganMake, number])[] = [
  [{ naming: 'old', prefix: '', blocks: 2, doublings: 2, gathered: 1 }, 4],
  [{ naming: 'old', prefix: '', blocks: 1, doublings: 3, gathered: 1 }, 8],
  [{ naming: 'new', prefix: 'params_ema.', blocks: 1, doublings: 2, gathered: 2 }, 2],
]

test('an ESRGAN network with either naming is recognized as an upscaler by its shapes', async () => {
  await using folder = await createTemporaryFolder()
  for (const [make, scale] of makes) {
    const path = join(folder.path, 'x.safetensors')
    await writeFile(path, esrganFile(make))
    const found = await examineWeights(path, 'x')
    assert.ok(found.kind === 'upscaler')
    assert.deepEqual([found.descriptor.format, found.descriptor.upscaler], ['upscaler', { weights: path, scale }])
  }
})
