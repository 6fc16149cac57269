import type { MemoryNeed } from '../memory/estimate-memory.ts'

/** Memory of models when they were last loaded, for planning the first load after a restart. */
export interface MeasuredMemory {
  /** @param conditions Settings that affect the memory; a measurement only applies under equal ones. */
  find(modelId: string, conditions: string): MemoryNeed | undefined
  /** Never rejects: the next load measures the memory again. */
  note(modelId: string, conditions: string, memory: MemoryNeed): Promise<void>
}
