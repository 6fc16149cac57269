import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WeightTable } from '../weights/weight-table.ts'
import { readChanges } from './lora-change.ts'
import { readLoraKey } from './lora-modules.ts'
import { transformerTargets } from './transformer-modules.ts'

test('a transformer module is found by its diffusers, ai-toolkit and peft names', () => {
  const module = 'layers.0.attention.to_q'
  const weight = { type: 'F32', shape: [1, 1], offset: 0, bytes: 4, file: 'z', transposed: false } as const
  const targets = transformerTargets('z-image', new WeightTable('/', 'z', new Map([[`${module}.weight`, weight]])))
  for (const prefix of ['transformer.', 'diffusion_model.', 'base_model.model.', '']) {
    const key = readLoraKey(`${prefix}${module}.lora_A.weight`)
    assert.deepEqual(targets.get(key?.module ?? ''), [{ network: 'unet', module, numbers: 1 }], prefix)
  }
})

test('DoRA over the columns of joined modules is rejected, over their rows it is split', () => {
  const matrix = (...shape: readonly number[]) => {
    return { shape, values: new Float32Array(shape.reduce((product, size) => product * size, 1)) }
  }
  const read = (magnitude: ReturnType<typeof matrix>) => {
    const parts: Readonly<Record<string, ReturnType<typeof matrix>>> = { down: matrix(1, 2), up: matrix(6, 1), magnitude }
    const target = { network: 'unet', module: 'to_q', numbers: 4, rows: { first: 0, count: 1, all: 3 } } as const
    return readChanges((part) => parts[part], target, { ownScale: () => 1 })
  }
  assert.deepEqual(read(matrix(1, 2)), { fault: 'holds DoRA over the columns of joined modules, which Sepia cannot apply,' })
  const split = read(matrix(6, 1))
  assert.ok(!('fault' in split))
  assert.deepEqual(
    split.map((change) => change.kind === 'factors' && change.magnitude),
    [{ of: 'outputs', values: new Float32Array(2) }],
  )
})
