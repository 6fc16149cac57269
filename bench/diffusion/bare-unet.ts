import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'

/** The built-in model's text widths. */
const tokens = 77
const contextWidth = 256
const pooledWidth = 128

/** The rival: nothing but the tensor runtime on the same file, in a loop. */
export interface BareUnet extends AsyncDisposable {
  /** One guided step, in one batch of two or as two runs. */
  step(way: 'batched' | 'split'): Promise<void>
}

/** @param side Of the picture, in pixels. */
export async function openBareUnet(
  modelFolder: string,
  { threads, side }: { readonly threads: number; readonly side: number },
): Promise<BareUnet> {
  const latentSide = side / 8
  const session = await InferenceSession.create(join(modelFolder, 'unet', 'model.onnx'), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  })
  const feeds = (batch: number): Record<string, Tensor> => ({
    sample: wave([batch, 4, latentSide, latentSide]),
    timestep: new Tensor('float32', [500], [1]),
    encoder_hidden_states: wave([batch, tokens, contextWidth]),
    text_embeds: wave([batch, pooledWidth]),
    time_ids: new Tensor('float32', new Float32Array(batch * 6).fill(256), [batch, 6]),
  })
  const one = feeds(1)
  const two = feeds(2)
  return {
    step: async (way) => {
      if (way === 'batched') await session.run(two)
      else {
        await session.run(one)
        await session.run(one)
      }
    },
    [Symbol.asyncDispose]: () => session.release(),
  }
}

function wave(dims: readonly number[]): Tensor {
  const length = dims.reduce((product, size) => product * size, 1)
  return new Tensor(
    'float32',
    Float32Array.from({ length }, (_, i) => Math.sin(i)),
    dims,
  )
}
