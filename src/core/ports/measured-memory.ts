import type { MemoryNeed } from '../memory/estimate-memory.ts'

/** What models took when they were last in memory, so that the first load after a restart is planned by it. */
export interface MeasuredMemory {
  /** @param conditions What the figure depends on besides the model; it counts only under the same ones. */
  find(modelId: string, conditions: string): MemoryNeed | undefined
  /** Never rejects: the next load measures again. */
  note(modelId: string, conditions: string, memory: MemoryNeed): Promise<void>
}
