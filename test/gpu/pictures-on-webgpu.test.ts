import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { drawingMs, softwareWebGpu, withoutWebGpu } from './software-drivers.ts'

/** SwiftShader takes a second and more per step, so two cases stand for all: `npm run parity -- … --gpu webgpu` replays every one. */
const chosen = [
  { sampler: 'DDIM', steps: 4, starts: 'noise' },
  { sampler: 'K_EULER', steps: 10, starts: 'picture' },
] as const

interface Case {
  readonly sampler: string
  readonly steps: number
  readonly init_png?: string
  readonly mask_png?: string
}

describe('pictures on WebGPU', { skip: withoutWebGpu }, () => {
  it("match diffusers' within the limits of the processor", { timeout: drawingMs }, async () => {
    await using folder = await createTemporaryFolder()
    const reference = JSON.parse(await readFile('test/fixtures/golden/parity.json', 'utf8')) as { readonly cases: readonly Case[] }
    const cases = chosen.map(({ sampler, steps, starts }) =>
      reference.cases.find(
        (each) => each.sampler === sampler && each.steps === steps && !each.mask_png && (each.init_png ? 'picture' : 'noise') === starts,
      ),
    )
    const file = join(folder.path, 'cases.json')
    await writeFile(file, JSON.stringify({ ...reference, cases }))
    const { stdout } = await promisify(execFile)(process.execPath, ['test/support/parity/replay-file.ts', file, '--gpu', 'webgpu'], {
      env: { ...process.env, ...softwareWebGpu, XDG_RUNTIME_DIR: folder.path },
    })
    assert.match(stdout, /^2 of 2 cases within/m)
  })

  it('are not drawn by a named provider without a device', async () => {
    const failed = await promisify(execFile)(
      process.execPath,
      ['test/support/parity/replay-file.ts', 'test/fixtures/golden/parity.json', '--gpu', 'webgpu'],
      { env: { ...process.env, VK_ICD_FILENAMES: '/nowhere.json' } },
    ).catch(({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }))
    assert.deepEqual(failed, {
      code: 1,
      stdout:
        'The cases cannot be replayed: onnxruntime finds no device for gpu webgpu; install a driver for Vulkan, Metal or Direct3D 12, or start with --gpu auto.\n',
    })
  })
})
