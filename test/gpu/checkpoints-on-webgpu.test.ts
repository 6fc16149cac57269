import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { drawingMs, softwareWebGpu, withoutWebGpu } from './software-drivers.ts'

describe('checkpoints on WebGPU', { skip: withoutWebGpu }, async () => {
  const folder = await createTemporaryFolder()
  after(() => folder[Symbol.asyncDispose]())
  const files = ['sd15.safetensors', 'xl.safetensors', 'lora-kohya.safetensors']
  if (withoutWebGpu === false) await unpackGoldenCheckpoints(folder.path, (path) => files.includes(path))

  for (const [model, ...loras] of [['sd15.safetensors'], ['xl.safetensors', 'lora-kohya.safetensors']]) {
    it(`${model}${loras.length === 0 ? '' : ' with a LoRA'} is drawn as on the processor, whatever the device lacks or computes wrongly`, {
      timeout: drawingMs,
    }, async () => {
      const paths = [model ?? '', ...loras].map((name) => join(folder.path, name))
      const { stdout } = await promisify(execFile)(process.execPath, ['test/gpu/compare-checkpoint.ts', ...paths], {
        env: { ...process.env, ...softwareWebGpu, XDG_RUNTIME_DIR: folder.path },
      })
      const { latents, pixels, ...target } = JSON.parse(stdout) as { readonly latents: number; readonly pixels: number }
      assert.ok(latents < 1e-3 && pixels <= 1, stdout)
      // SwiftShader has no half precision, and the runtime's fused attention is wrong on it.
      assert.deepEqual(target, { weightsAs: 'constant', precision: 'single', attention: 'plain' })
    })
  }
})
