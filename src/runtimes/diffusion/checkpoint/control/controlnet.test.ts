import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Controlnet, ControlSum } from './controlnet.ts'

const shape = { blocks: 1, heads: [1], channels: 1, inputChannels: 1, contextWidth: 1, added: null, guidanceWidth: null }
const evaluation = { latents: new Float32Array(1), size: { channels: 1, width: 1, height: 1 }, timestep: 1, conditionings: [], share: 1 }

function controlnetReturning(values: readonly number[]): Controlnet {
  let runs = 0
  const run = async () => [{ values: Float32Array.of(values[runs++] ?? 0), dims: [1] }]
  return new Controlnet({ session: { run }, [Symbol.asyncDispose]: async () => {} }, shape, 'edges')
}

test('a ControlNet with NaN in the first step of a request is named instead of the model', async () => {
  const controlnet = controlnetReturning([1, Number.NaN, Number.NaN])
  const picture = { values: new Float32Array(3), width: 1, height: 1 }
  const request = () => new ControlSum([{ controlnet, picture, scale: 1, until: 1 }], 0)
  // Later numbers also depend on the drawing, so that the drawing is the one to report them.
  const first = request()
  for (const count of [1, 2]) assert.ok((await first.feeds(evaluation)).control_mid, String(count))
  await assert.rejects(request().feeds(evaluation), {
    code: 'numerical_error',
    param: 'controlnet',
    message: /^The ControlNet edges returned NaN or infinity in its first step: its file is damaged/,
  })
})
