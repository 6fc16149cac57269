import { open, realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { SafetensorsFault, type SafetensorsHeader } from '../../../../core/checkpoint/safetensors-header.ts'
import { readWeightsHeader } from '../../../../core/checkpoint/weights-header.ts'
import { unusableModel } from '../../onnx/model-file.ts'

/** A safetensors or GGUF file whose header was read and checked. */
export interface WeightFile extends SafetensorsHeader {
  /** Absolute path, links resolved: the tensor runtime refuses links that leave their folder. */
  readonly path: string
  readonly folder: string
  readonly name: string
}

/** @throws {ServiceError} `inference_failed` naming the file and what is wrong with it. */
export async function readWeightFile(path: string): Promise<WeightFile> {
  const label = basename(path)
  try {
    const real = await realpath(path)
    await using file = await open(real, 'r')
    const { size } = await file.stat()
    const read = async (offset: number, bytes: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
      return buffer.subarray(0, bytesRead)
    }
    return { ...(await readWeightsHeader(read, size)), path: real, folder: dirname(real), name: basename(real) }
  } catch (error) {
    throw unusableModel(label, error instanceof SafetensorsFault ? error.message : 'is missing or cannot be read', error)
  }
}
