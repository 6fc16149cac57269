import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { readGgufHeader, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { readGgufTensors } from '../../../test/support/model-files/read-tensors.ts'
import { type Coding, codings, recodeWeights } from '../../../test/support/model-files/recode-weights.ts'
import { families, paintPicture, writeSeeingFiles } from '../../../test/support/model-files/seeing-models.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openTower } from './open-tower.ts'

const { signal } = new AbortController()

async function see(path: string): Promise<readonly Float32Array[]> {
  await using tower = await openTower(path, { threads: 1 })
  return await tower.look(await paintPicture({ width: 120, height: 80 }), { signal })
}

/** The largest difference, relative to the largest number. */
function compare(rows: readonly Float32Array[], expected: readonly Float32Array[]): number {
  assert.deepEqual(
    rows.map(({ length }) => length),
    expected.map(({ length }) => length),
  )
  const differences = rows.flatMap((block, index) => Array.from(block, (number, at) => Math.abs(number - (expected[index]?.[at] ?? 0))))
  const sizes = expected.flatMap((block) => Array.from(block, Math.abs))
  return Math.max(...differences) / Math.max(...sizes)
}

suite('weights of vision towers', () => {
  for (const family of families)
    test(`are read as the numbers they hold, in half precision and in blocks: ${family}`, async () => {
      await using folder = await createTemporaryFolder()
      const { projector } = await writeSeeingFiles(folder.path, family)
      const file = await readFile(projector)
      const rows = await see(projector)
      for (const coding of Object.keys(codings) as readonly Coding[]) {
        const { recoded, same } = recodeWeights(file, coding)
        const paths = [join(folder.path, `${coding}.gguf`), join(folder.path, `${coding}-same.gguf`)] as const
        await Promise.all([writeFile(paths[0], recoded), writeFile(paths[1], same)])
        const [own, expected] = await Promise.all(paths.map(see))
        assert.ok(compare(own ?? [], expected ?? []) < 1e-5, `${coding}: ${compare(own ?? [], expected ?? [])}`)
        assert.ok(compare(own ?? [], rows) < 0.1, `${coding}: ${compare(own ?? [], rows)}`)
      }
    })

  test('of an unsupported type are rejected by name', async () => {
    await using folder = await createTemporaryFolder()
    const { projector } = await writeSeeingFiles(folder.path, 'mlp')
    const file = await readFile(projector)
    const iq4 = { type: 20, bytes: 18 / 32 }
    const tensors = readGgufTensors(file).map((tensor) =>
      tensor.name === 'mm.0.weight' ? { ...tensor, type: iq4.type, data: Buffer.alloc((tensor.data.length / 4) * iq4.bytes) } : tensor,
    )
    await writeFile(projector, writeGguf(readGgufHeader(file), tensors))
    await assert.rejects(openTower(projector, { threads: 1 }), { code: 'inference_failed', message: /mmproj-mlp\.gguf .*IQ4_NL/ })
  })

  test('that make NaN are reported with the name of the file', async () => {
    await using folder = await createTemporaryFolder()
    const { projector } = await writeSeeingFiles(folder.path, 'mlp')
    const file = await readFile(projector)
    const tensors = readGgufTensors(file).map((tensor) =>
      tensor.name === 'mm.2.bias' ? { ...tensor, data: Buffer.alloc(tensor.data.length, 0xff) } : tensor,
    )
    await writeFile(projector, writeGguf(readGgufHeader(file), tensors))
    await assert.rejects(see(projector), { code: 'numerical_error', message: /^mmproj-mlp\.gguf returned NaN or infinity/ })
  })
})
