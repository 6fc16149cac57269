import { readGgufHeader } from '../gguf/gguf-header.ts'
import { readGgufWeights } from '../gguf/gguf-weights.ts'
import { type ReadBytes, readSafetensorsHeader, SafetensorsFault, type SafetensorsHeader } from './safetensors-header.ts'

const ggufMark = 0x47475546

/**
 * Reads and checks the header of a file of weights, safetensors or GGUF.
 *
 * @throws {SafetensorsFault} with the reason, completing a sentence that begins with the file's name.
 */
export async function readWeightsHeader(read: ReadBytes, fileBytes: number): Promise<SafetensorsHeader> {
  const mark = await read(0, 4)
  if (mark.length < 4 || new DataView(mark.buffer, mark.byteOffset).getUint32(0) !== ggufMark) return readSafetensorsHeader(read, fileBytes)
  const header = await readGgufHeader(read)
  if ('fault' in header) throw new SafetensorsFault(header.fault)
  if (fileBytes < header.promisedBytes)
    throw new SafetensorsFault(`is cut short: it has ${fileBytes} bytes where its header promises ${header.promisedBytes}`)
  const weights = readGgufWeights(header)
  if ('fault' in weights) throw new SafetensorsFault(weights.fault)
  return weights
}
