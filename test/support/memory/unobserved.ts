import { WorkUnderWay } from '../../../src/operations/access/work-under-way.ts'
import { BodyRecorder, type BodyRecorderDependencies } from '../../../src/operations/bodies/body-recorder.ts'

/** Callbacks of running work, for tests that ignore them: no prices, no other nodes, no traces. */
export const unobservedWork = {
  priceOf: () => null,
  onWork() {},
  onEnded() {},
  onSubmitted() {},
  onOutput() {},
  endAnswer: async () => {},
  isLoadedElsewhere: () => false,
  kindOf: () => undefined,
  trace: (_claim: unknown, _submission: unknown, run: () => Promise<void>) => run(),
}

/** Other callbacks of the public interface, for tests that pull nothing and whose data folder is sound. */
export function unobservedInterface() {
  return {
    ...unobservedWork,
    underWay: new WorkUnderWay(),
    recordRequest() {},
    findStorageFault: async () => null,
    pulls: { list: () => [], start: () => false },
    pulledModels: { has: () => false, findLeftOut: () => undefined, remove: () => Promise.reject(new Error('Nothing was pulled here.')) },
  }
}

/** A request log of at most a megabyte per account, whose drops and faults are ignored. */
export function createTestBodies(parts: Omit<BodyRecorderDependencies, 'mostBytes' | 'onDropped' | 'onFault'>): BodyRecorder {
  return new BodyRecorder({ ...parts, mostBytes: 1_000_000, onDropped() {}, onFault() {} })
}
