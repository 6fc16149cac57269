import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Controlnet } from './controlnet.ts'

const shape = { blocks: 1, heads: [1], channels: 1, inputChannels: 1, contextWidth: 1, added: null, guidanceWidth: null }
const evaluation = { latents: new Float32Array(1), size: { channels: 1, width: 1, height: 1 }, timestep: 1, conditionings: [], share: 1 }
const shown = { picture: { values: new Float32Array(3), width: 1, height: 1 }, scale: 1, names: ['control_mid'] }

function controlnetReturning(values: readonly number[]): Controlnet {
  let runs = 0
  const run = async () => [{ values: Float32Array.of(values[runs++] ?? 0), dims: [1] }]
  return new Controlnet({ session: { run }, [Symbol.asyncDispose]: async () => {} }, shape, 'edges')
}

test('a ControlNet with NaN is named instead of the model', async () => {
  const spoilt = controlnetReturning([Number.NaN])
  await assert.rejects(spoilt.run(evaluation, shown), {
    code: 'numerical_error',
    param: 'controlnet',
    message: /^The ControlNet edges returned NaN or infinity in its first step: its file is damaged/,
  })
  // Later numbers also depend on the drawing, so that the drawing is the one to report them.
  const sound = controlnetReturning([1, Number.NaN])
  for (const count of [1, 2]) assert.equal((await sound.run(evaluation, shown)).length, 1, String(count))
})
