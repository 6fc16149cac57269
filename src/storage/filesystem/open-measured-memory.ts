import { readFile, rename, writeFile } from 'node:fs/promises'
import { isRecord, parseRecord } from '../../core/json-value.ts'
import type { MemoryNeed } from '../../core/memory/estimate-memory.ts'
import type { MeasuredMemory } from '../../core/ports/measured-memory.ts'

interface Measurement extends MemoryNeed {
  readonly conditions: string
}

/** Stores measurements in a JSON file. A damaged file counts as empty, since the next loads measure again. */
export async function openMeasuredMemory(file: string): Promise<MeasuredMemory> {
  const known = new Map(parse(await readFile(file, 'utf8').catch(() => '{}')))
  let written = Promise.resolve()
  const write = async () => {
    await writeFile(`${file}.new`, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  return {
    find: (modelId, conditions) => {
      const found = known.get(modelId)
      return found?.conditions === conditions ? { processorBytes: found.processorBytes, gpuBytes: found.gpuBytes } : undefined
    },
    note: (modelId, conditions, { processorBytes, gpuBytes }) => {
      known.set(modelId, { conditions, processorBytes, gpuBytes })
      written = written.then(write).catch(() => {})
      return written
    },
  }
}

function parse(text: string): readonly (readonly [string, Measurement])[] {
  return Object.entries(parseRecord(text) ?? {}).flatMap(([id, each]) => (isMeasurement(each) ? [[id, each] as const] : []))
}

function isMeasurement(value: unknown): value is Measurement {
  if (!isRecord(value)) return false
  const { conditions, processorBytes, gpuBytes } = value
  return typeof conditions === 'string' && isBytes(processorBytes) && isBytes(gpuBytes)
}

function isBytes(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
