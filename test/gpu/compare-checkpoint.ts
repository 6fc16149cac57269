/**
 * Draws one step with a checkpoint on the processor and on WebGPU, and prints how far apart they are: latents over their range,
 * pixels of 255, and what graphs for WebGPU's device are written for. A process of its own, since drivers are read once.
 */
import { argv } from 'node:process'
import { findGraphTarget } from '../../src/runtimes/diffusion/checkpoint/graph/find-graph-target.ts'
import { loadCheckpointPipeline } from '../../src/runtimes/diffusion/checkpoint/load-checkpoint-pipeline.ts'
import { drawLatents } from '../../src/runtimes/diffusion/draw-image.ts'
import { chooseProvider } from '../../src/runtimes/diffusion/onnx/choose-provider.ts'
import { toRgb } from '../../src/runtimes/diffusion/pictures/rgb-image.ts'
import { encodePrompts } from '../../src/runtimes/diffusion/prompts/encode-prompts.ts'
import { promptsToEncode } from '../../src/runtimes/diffusion/prompts/request-prompts.ts'
import { decodeLatents } from '../../src/runtimes/diffusion/vae/latent-colours.ts'

const [, , weights = '', lora] = argv
const { signal } = new AbortController()
const webgpu = await chooseProvider({ gpu: 'webgpu', gpuDevice: null })

async function draw(provider: 'cpu' | 'webgpu') {
  await using plain = await loadCheckpointPipeline({ weights, prediction: null }, { threads: 1, provider, refiner: null, signal })
  const loras = lora === undefined ? [] : [{ file: lora, weight: 0.8 }]
  const pipeline = { ...plain, ...(await plain.adapt?.({ loras, textualInversions: [], controlnets: [], vae: null }, { signal })) }
  const words = promptsToEncode({ prompt: 'a fox', prompt2: 'a fox', negative: null }, { guided: false, zeroNegative: false, clipSkip: 0 })
  const settings = {
    sampler: 'K_EULER',
    scheduler: pipeline.scheduler,
    steps: 1,
    seed: 1,
    width: 64,
    height: 64,
    guidanceScale: 1,
    guidanceRescale: 0,
    prompts: await encodePrompts(pipeline.base.text, words, { signal }),
    start: null,
    refining: null,
  } as const
  const { latents, size } = await drawLatents(pipeline, settings, { signal, onStep: async () => undefined })
  return { latents, pixels: toRgb(await decodeLatents(pipeline, latents, size)).data }
}

const [expected, found] = [await draw('cpu'), await draw(webgpu === 'webgpu' ? 'webgpu' : 'cpu')]
const range = Math.max(...expected.latents) - Math.min(...expected.latents)
const worst = (one: ArrayLike<number>, other: ArrayLike<number>) =>
  Array.from(one).reduce((most, value, i) => Math.max(most, Math.abs(value - (other[i] ?? Number.NaN))), 0)
const compared = {
  latents: worst(expected.latents, found.latents) / range,
  pixels: worst(expected.pixels, found.pixels),
  ...(await findGraphTarget(webgpu)),
}
console.log(JSON.stringify(compared))
