import { open } from 'node:fs/promises'
import { SafetensorsFault, type SafetensorsHeader } from '../../core/checkpoint/safetensors-header.ts'
import { readWeightsHeader } from '../../core/checkpoint/weights-header.ts'

/**
 * Reads and checks the header of a weights file; a fault completes a sentence that begins with the file's name.
 *
 * @throws {Error} if the file cannot be read.
 */
export async function readFileHeader(path: string): Promise<SafetensorsHeader | { readonly fault: string }> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    const read = async (offset: number, bytes: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
      return buffer.subarray(0, bytesRead)
    }
    return await readWeightsHeader(read, size)
  } catch (error) {
    if (error instanceof SafetensorsFault) return { fault: error.message }
    throw error
  }
}
