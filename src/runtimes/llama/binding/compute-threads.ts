import type { NativeContext } from './native-binding.ts'

/** How many threads a model computes with at the moment; every batch begins with as many as it is then. */
export class ComputeThreads {
  count: number

  constructor(count: number) {
    this.count = count
  }

  /** Evaluates the batch of a context. */
  decode(context: NativeContext): Promise<void> {
    context.setThreads(this.count)
    return context.decodeBatch()
  }
}
