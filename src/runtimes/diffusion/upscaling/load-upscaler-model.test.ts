import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeImageRequest } from '../../../../test/support/image-request.ts'
import { esrganFile } from '../../../../test/support/model-files/esrgan-file.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { loadUpscalerModel } from './load-upscaler-model.ts'

const { signal } = new AbortController()

test('a weights file becomes a model that enlarges images to any size, and reports progress', async () => {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, '4x-tiny.safetensors')
  await writeFile(path, esrganFile({ naming: 'old', prefix: '', blocks: 1, doublings: 2, gathered: 1 }))
  await using model = await loadUpscalerModel({ id: '4x-tiny' }, { weights: path, scale: 4 }, { threads: 1, provider: 'cpu' })
  const { default: sharp } = await import('sharp')
  const image = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#808080' } })
    .png()
    .toBuffer()
  const steps: unknown[] = []
  const enlarge = async (width: number, height: number) => {
    const request = { model: '4x-tiny', image, width, height, encoding: 'png' } as const
    const { images } = (await model.enlarge?.(request, { signal, onProgress: (progress) => steps.push(progress) })) ?? assert.fail()
    const { width: wide, height: high } = await sharp(images[0]?.bytes).metadata()
    return [wide, high]
  }
  assert.deepEqual(await enlarge(160, 80), [160, 80])
  assert.deepEqual(await enlarge(60, 60), [60, 60])
  assert.deepEqual(steps, [
    { step: 1, total: 1 },
    { step: 1, total: 1 },
  ])
  await assert.rejects(
    model.generate(makeImageRequest('', { model: '4x-tiny' }), { signal, onProgress: () => undefined }),
    /only enlarges images/,
  )
})
