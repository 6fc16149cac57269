import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tensor } from 'onnxruntime-node'
import { TorchGenerator } from '../noise/torch-generator.ts'
import { OnnxSession } from '../onnx/onnx-session.ts'
import { encodePixels } from './latent-colours.ts'
import { UpcastingSession } from './upcasting-session.ts'
import { parseVaeConfig } from './vae-config.ts'
import { VaeEncoder } from './vae-encoder.ts'

/** An encoder of eight by eight pixels that always returns the same numbers. */
function encoderReturning(values: readonly number[]): VaeEncoder {
  const described = (name: string) => ({ name, isTensor: true, type: 'float32', shape: [1, 'channels', 'height', 'width'] }) as const
  const session = {
    inputMetadata: [described('sample')],
    outputMetadata: [described('latent_sample')],
    run: async () => ({ latent_sample: new Tensor('float32', Float32Array.from(values), [1, 4, 1, 1]) }),
    release: async () => {},
  }
  return new VaeEncoder(new UpcastingSession(new OnnxSession('vae', session)))
}

test('an encoder that returns NaN is reported with the VAE that the request names, or the model', async () => {
  const vae = parseVaeConfig({}, 'config.json')
  const picture = { values: new Float32Array(192), width: 8, height: 8 }
  const encode = (values: readonly number[], named: object) =>
    encodePixels({ encoder: encoderReturning(values), vae, ...named }, picture, new TorchGenerator(0))
  assert.ok((await encode([1, 2, 3, 4], {})).every(Number.isFinite))
  await assert.rejects(encode([1, Number.NaN, 3, 4], { vaeSource: { what: 'The VAE mine', param: 'vae' } }), {
    code: 'numerical_error',
    param: 'vae',
    message: /^The VAE mine returned NaN or infinity when it encoded an image: its file is damaged/,
  })
  await assert.rejects(encode([1, 2, 3, Number.POSITIVE_INFINITY], {}), { param: 'model', message: /^The VAE of this model returned NaN/ })
})
