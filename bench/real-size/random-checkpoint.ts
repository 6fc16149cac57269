import { open } from 'node:fs/promises'
import { readGoldenCheckpoints } from '../../test/support/model-files/golden-checkpoints.ts'

interface NamedTensor {
  readonly name: string
  readonly shape: readonly number[]
}

/** Blocks of attention deeper than this are left out, so that a smaller UNet of the same make can be measured too. */
export interface CheckpointSize {
  readonly depth: number
}

/**
 * Writes a checkpoint with every tensor of SDXL's single file, in half precision: small random numbers, the same 64 MB over
 * and over.
 *
 * @returns Parameters of its UNet.
 */
export async function writeRandomCheckpoint(path: string, { depth }: CheckpointSize): Promise<number> {
  const list: { readonly tensors: readonly { readonly original: readonly NamedTensor[] }[] } = JSON.parse(
    (await readGoldenCheckpoints()).get('names-sdxl.json')?.toString() ?? '{}',
  )
  const kept = ({ name }: NamedTensor) => Number(/transformer_blocks\.(\d+)\./u.exec(name)?.[1] ?? 0) < depth
  const tensors = list.tensors.flatMap(({ original }) => original).filter(kept)
  const unique = [...new Map(tensors.map((tensor) => [tensor.name, tensor])).values()]
  const header: Record<string, object> = {}
  let at = 0
  for (const { name, shape } of unique) {
    const bytes = shape.reduce((product, size) => product * size, 2)
    header[name] = { dtype: 'F16', shape, data_offsets: [at, at + bytes] }
    at += bytes
  }
  const json = Buffer.from(JSON.stringify(header))
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(BigInt(json.length))
  const numbers = Buffer.from(Float16Array.from({ length: 32 * 1024 * 1024 }, () => (Math.random() - 0.5) * 0.04).buffer)
  await using file = await open(path, 'w')
  await file.write(Buffer.concat([start, json]))
  for (let left = at; left > 0; left -= numbers.length) await file.write(numbers, 0, Math.min(left, numbers.length))
  const unet = unique.filter(({ name }) => name.startsWith('model.diffusion_model.'))
  return unet.reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0)
}
